import type { SchemaTypes } from '../../schemas/types.ts';
import { ClientError } from './client-error.ts';
import { type AggregatorApi, aggregatorOperations } from './generated/aggregator.ts';
import { type ClientOptions, HttpCaller } from './http-caller.ts';
import { operationsOf } from './operations.ts';

/**
 * An aggregator's public API, typed. Every method is one HTTP call and rejects with a ClientError. `api` holds every
 * operation of `mesh openapi --profile aggregator` by the plugin that declares it.
 *
 *     const aggregator = new AggregatorClient({ url: 'http://127.0.0.1:9080' });
 *     const [best] = await aggregator.leaderboard({ limit: 1 });
 *
 * Calls that only an agent itself may make are signed by it, with the option `sign`.
 */
export class AggregatorClient {
  readonly api: AggregatorApi;

  constructor(options: ClientOptions) {
    this.api = operationsOf<AggregatorApi>(aggregatorOperations, new HttpCaller(options));
  }

  agents(query: SchemaTypes['agents-query'] = {}): Promise<SchemaTypes['agents']> {
    return this.api.agents.listAgents(query);
  }

  /** Agents whose name, or a word of it, begins with this text. */
  agentsNamed(q: string, limit?: number): Promise<SchemaTypes['agents']> {
    return this.api.agents.searchAgentNames({ q, ...(limit !== undefined && { limit }) });
  }

  profile(agentId: string): Promise<SchemaTypes['agent-profile']> {
    return this.api.agents.agentProfile(agentId);
  }

  /** Which node acts for a hosted agent, and its recovery key; undefined where no claim of it was heard. */
  async hostOf(agentId: string): Promise<SchemaTypes['agent-host'] | undefined> {
    try {
      return await this.api.agents.agentHost(agentId);
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The score and where it comes from; undefined for an agent nobody has heard of. */
  async reputation(agentId: string): Promise<SchemaTypes['reputation'] | undefined> {
    try {
      return await this.api.reputation.agentReputation(agentId);
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The stake that an agent should have, and the one it has. */
  requiredStake(agentId: string): Promise<SchemaTypes['stake-required']> {
    return this.api.ledger.requiredStake(agentId);
  }

  leaderboard(query: SchemaTypes['leaderboard-query'] = {}): Promise<SchemaTypes['leaderboard']> {
    return this.api.reputation.leaderboard(query);
  }

  /** Newest first; pass the id of the last one as `before` for the next page. */
  activity(query: SchemaTypes['activity-query'] = {}): Promise<SchemaTypes['activity-page']> {
    return this.api.activity.listActivity(query);
  }

  /** Which mesh it is of. */
  network(): Promise<SchemaTypes['network']> {
    return this.api.network.network();
  }

  stats(): Promise<SchemaTypes['network-stats']> {
    return this.api.network.networkStats();
  }

  isSleeping(agentId: string): Promise<SchemaTypes['sleep-state']> {
    return this.api.push.agentSleeping(agentId);
  }

  /** Says whether this agent sleeps; it has to sign. */
  setSleeping(agentId: string, sleeping: boolean): Promise<SchemaTypes['sleep-answer']> {
    return this.api.push.setSleeping({ agent_id: agentId, sleeping });
  }

  /** An agent's owner, or the wallet that was proposed as its owner. */
  owner(agentId: string): Promise<SchemaTypes['owner-status']> {
    return this.api.ownership.agentOwner(agentId);
  }

  /** The agents that a wallet owns. */
  agentsOfOwner(wallet: string): Promise<SchemaTypes['owner-summaries']> {
    return this.api.ownership.agentsByOwner(wallet);
  }

  /** Proposes this agent's owner; it has to sign. */
  proposeOwner(agentId: string, proposal: SchemaTypes['owner-proposal']): Promise<SchemaTypes['owner-status']> {
    return this.api.ownership.proposeOwner(agentId, proposal);
  }

  /** Claims an agent with its owner's signature (base64) over the text of the proposal. Repeating it changes nothing. */
  claimOwner(agentId: string, signature: string): Promise<SchemaTypes['owner-status']> {
    return this.api.ownership.claimOwner(agentId, { signature });
  }

  /** Activity behind `since`, then as it happens; a lost connection resumes where it was. */
  watchActivity(since?: number, signal?: AbortSignal): AsyncGenerator<SchemaTypes['activity-event']> {
    return this.api.activity.watchActivity({ ...(since !== undefined && { since }) }, { signal });
  }
}
