import { type Log, MeshError } from '../../core/plugin.ts';
import type { LocalAgent, LocalAgents } from '../../core/services.ts';
import type { Fees } from './fees.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Places } from './places.ts';
import type { Session } from './records.ts';
import type { RegistrationRate } from './registration-rate.ts';
import type { Issued, Sessions } from './sessions.ts';
import type { SubKeys } from './sub-keys.ts';

/** Agents that are read from the store at the same time, so that their commits share a sync of the disk. */
const AT_ONCE = 64;

export interface HostMeans {
  readonly agents: LocalAgents;
  readonly sessions: Sessions;
  readonly keys: SubKeys;
  readonly fees: Fees;
  readonly streams: LiveStreams;
  readonly rate: RegistrationRate;
  readonly places: Places;
  readonly log: Log;
}

export interface Registration {
  readonly name: string | undefined;
  readonly recoveryKey: string | undefined;
  /** The caller's address; of IPv6 its network. */
  readonly network: string;
}

/** An agent that registered, with its public key. */
export interface Registered extends Issued {
  readonly key: Uint8Array;
}

/** The agents that this node hosts: each has a session, a key that is encrypted in the store, and its place on the mesh. */
export class Host {
  readonly #means: HostMeans;
  #isReady = false;

  constructor(means: HostMeans) {
    this.#means = means;
  }

  /** Hosted agents with those that are being registered. */
  get count(): number {
    return this.#means.places.taken;
  }

  /** Brings back the agents of the last run. Throws where the key of one cannot be read. */
  async start(): Promise<void> {
    const { sessions } = this.#means;
    let batch: Promise<unknown>[] = [];
    for await (const session of sessions.all()) {
      batch.push(this.#bring(session));
      if (batch.length < AT_ONCE) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
    this.#isReady = true;
  }

  /** A fresh agent. Its session is on the disk before it is on the mesh: after a crash in between the next start brings it there. */
  async register({ name, recoveryKey, network }: Registration): Promise<Registered> {
    const { agents, sessions, keys, rate, places } = this.#means;
    this.requireReady();
    places.take(network);
    try {
      rate.take();
      const { id, sealed, signer } = keys.make();
      const issued = await sessions.create({ id, sealed, name: name ?? id.slice(0, 8), network });
      try {
        await agents.add({ signer, name: issued.session.name, recoveryKey });
      } catch (error) {
        await sessions.remove(id);
        throw error;
      }
      return { ...issued, key: signer.key };
    } catch (error) {
      places.count(network, -1);
      throw error;
    }
  }

  /** Rejects with `not_found` for an agent that is not hosted here. */
  agent(id: string): LocalAgent {
    this.requireReady();
    const agent = this.#means.agents.get(id);
    if (!agent) throw unknown(id);
    return agent;
  }

  /** Another token; the one before and the streams that it opened hold no more. */
  async renew(id: string): Promise<Issued> {
    const { sessions, streams } = this.#means;
    const issued = await sessions.renew(id);
    if (!issued) throw unknown(id);
    streams.end(id);
    return issued;
  }

  /**
   * Ends with an agent: its token, its key and its place on the mesh. Its account and statement stay. Rejects with `conflict` while its key holds USDC,
   * unless that is to be lost.
   */
  async remove(id: string, losesUsdc = false): Promise<void> {
    const { agents, sessions, fees, streams, places } = this.#means;
    this.requireReady();
    const session = await sessions.get(id);
    if (!session) throw unknown(id);
    if (!losesUsdc && (await agents.get(id)?.wallet.holdsUsdc())) throw holding(id);
    await fees.close(id);
    // Without its session the next start does not bring it back, whatever happens here.
    await sessions.remove(id);
    streams.end(id);
    if (await agents.remove(id)) places.count(session.network, -1);
  }

  /** Removes the agents that nobody asks for any more. */
  async clear(): Promise<void> {
    const { sessions, agents, log } = this.#means;
    for (const { agent_id } of await sessions.over()) {
      // While the ledger does not answer nobody is removed.
      if (await agents.get(agent_id)?.wallet.holdsUsdc()) {
        log.warn({ agent: agent_id }, 'a hosted agent whose token has ended long ago stays: its key holds USDC');
        await sessions.keep(agent_id);
        continue;
      }
      log.info({ agent: agent_id }, 'a hosted agent is removed: its token has ended long ago');
      await this.remove(agent_id, true);
    }
  }

  requireReady(): void {
    if (!this.#isReady) throw new MeshError('not_ready', 'The agents of this host are not back yet; try again soon.');
  }

  async #bring({ agent_id, sealed_b64, name, network }: Session): Promise<void> {
    const { agents, keys, places } = this.#means;
    await agents.add({ signer: keys.open(agent_id, sealed_b64), name });
    places.count(network, 1);
  }
}

function holding(id: string): MeshError {
  return new MeshError(
    'conflict',
    `The key of ${id} holds USDC, which would be lost with it: sweep it first, or give it up with abandon_usdc.`,
  );
}

function unknown(id: string): MeshError {
  return new MeshError('not_found', `No agent ${id} is hosted here.`);
}
