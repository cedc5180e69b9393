import type { SchemaTypes } from '../../schemas/types.ts';
import { ClientError } from './client-error.ts';
import { frames } from './frames.ts';
import { type ClientOptions, HttpCaller } from './http-caller.ts';

/**
 * An aggregator's public API, typed. Every method is one HTTP call and rejects with a ClientError.
 *
 *     const aggregator = new AggregatorClient({ url: 'http://127.0.0.1:9080' });
 *     const [best] = await aggregator.leaderboard({ limit: 1 });
 *
 * Calls that only an agent itself may make are signed by it, with the option `sign`.
 */
export class AggregatorClient {
  readonly #http: HttpCaller;

  constructor(options: ClientOptions) {
    this.#http = new HttpCaller(options);
  }

  agents(query: SchemaTypes['agents-query'] = {}): Promise<SchemaTypes['agents']> {
    return this.#http.get('/agents', { ...query });
  }

  /** Agents whose name, or a word of it, begins with this text. */
  agentsNamed(q: string, limit?: number): Promise<SchemaTypes['agents']> {
    return this.#http.get('/agents/search/name', { q, limit });
  }

  profile(agentId: string): Promise<SchemaTypes['agent-profile']> {
    return this.#http.get(`/agents/${encodeURIComponent(agentId)}/profile`);
  }

  /** The score and where it comes from; undefined for an agent nobody has heard of. */
  async reputation(agentId: string): Promise<SchemaTypes['reputation'] | undefined> {
    try {
      return await this.#http.get<SchemaTypes['reputation']>(`/reputation/${encodeURIComponent(agentId)}`);
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** What an agent should have staked, and what it has. */
  requiredStake(agentId: string): Promise<SchemaTypes['stake-required']> {
    return this.#http.get(`/stake/required/${encodeURIComponent(agentId)}`);
  }

  leaderboard(query: SchemaTypes['leaderboard-query'] = {}): Promise<SchemaTypes['leaderboard']> {
    return this.#http.get('/leaderboard', { ...query });
  }

  /** Newest first; pass the id of the last one as `before` for the next page. */
  activity(query: SchemaTypes['activity-query'] = {}): Promise<SchemaTypes['activity-page']> {
    return this.#http.get('/activity', { ...query });
  }

  /** Which mesh it is of. */
  network(): Promise<SchemaTypes['network']> {
    return this.#http.get('/network');
  }

  stats(): Promise<SchemaTypes['network-stats']> {
    return this.#http.get('/stats/network');
  }

  isSleeping(agentId: string): Promise<SchemaTypes['sleep-state']> {
    return this.#http.get(`/agents/${encodeURIComponent(agentId)}/sleeping`);
  }

  /** Says whether this agent sleeps; it has to sign. */
  setSleeping(agentId: string, sleeping: boolean): Promise<SchemaTypes['sleep-answer']> {
    return this.#http.postSigned('/push/sleep', { agent_id: agentId, sleeping });
  }

  /** Who owns an agent. */
  owner(agentId: string): Promise<SchemaTypes['owner-status']> {
    return this.#http.get(`/agents/${encodeURIComponent(agentId)}/owner`);
  }

  /** The agents that a wallet owns. */
  agentsOfOwner(wallet: string): Promise<SchemaTypes['owner-summaries']> {
    return this.#http.get(`/agents/by-owner/${encodeURIComponent(wallet)}`);
  }

  /** Proposes this agent's owner; it has to sign. */
  proposeOwner(agentId: string, proposal: SchemaTypes['owner-proposal']): Promise<SchemaTypes['owner-status']> {
    return this.#http.postSigned(`/agents/${encodeURIComponent(agentId)}/propose-owner`, proposal);
  }

  /** Claims an agent with its owner's signature (base64) over the text of the proposal. Repeating it changes nothing. */
  claimOwner(agentId: string, signature: string): Promise<SchemaTypes['owner-status']> {
    return this.#http.post(`/agents/${encodeURIComponent(agentId)}/claim-owner`, { signature });
  }

  /** Activity behind `since`, then as it happens; a lost connection resumes where it was. */
  watchActivity(since?: number, signal?: AbortSignal): AsyncGenerator<SchemaTypes['activity-event']> {
    return frames(this.#http.options, '/ws/activity', {
      signal,
      resume: (last: SchemaTypes['activity-event'] | undefined) => ({ since: last?.id ?? since }),
    });
  }
}
