import { MeshError } from '../../contracts/errors.ts';
import type { HostedIdentity } from '../../protocol/signer/agent-signer.ts';
import type { NodeEvents } from '../services/node-events.ts';
import { type AgentGround, type AwakeAgent, wakeAgent } from './awake-agent.ts';
import { successorOf } from './moves.ts';
import type { ResidentRecord } from './resident-records.ts';
import { WakeTimes } from './wake-times.ts';

/** An agent that lives on this node beside its own; `awake` while it is in memory. */
export interface Resident {
  readonly id: string;
  readonly plugin: string;
  readonly identity: HostedIdentity;
  readonly events: NodeEvents;
  record: ResidentRecord;
  /** The key that had replaced its own when it was added, as far as this node knew. */
  heir?: string | undefined;
  awake: Promise<AwakeAgent> | undefined;
  /** Ends when what was in memory before is closed. */
  closed: Promise<void>;
  /** Calls, and streams that are read. */
  uses: number;
  usedAt: number;
  removed: boolean;
}

/** Milliseconds that an agent stays in memory after its last use. */
const REST = 30_000;
/** Milliseconds from one look at who rests to the next, while anybody is in memory. */
const LOOK = 10_000;
/** Agents read at the same time because their time has come. */
const READERS = 8;

export interface ResidentMemoryOptions {
  readonly ground: AgentGround;
  /** Writes what is known of an agent. */
  save(resident: Resident, record: ResidentRecord): Promise<void>;
  find(id: string): Resident | undefined;
}

/**
 * Which agents are in memory. Those that nobody uses and nothing waits for are not: the moment at which time moves one of their deals
 * is all that is left of them. One timer serves them all.
 */
export class ResidentMemory {
  readonly #options: ResidentMemoryOptions;
  readonly #awake = new Set<Resident>();
  readonly #times: WakeTimes;
  readonly #due: string[] = [];
  #readers = 0;
  #cancelLook: (() => void) | undefined;
  #closed = false;

  constructor(options: ResidentMemoryOptions) {
    this.#options = options;
    this.#times = new WakeTimes(options.ground.clock, (id) => this.#isDue(id));
  }

  /** How many are in memory. */
  get size(): number {
    return this.#awake.size;
  }

  /** When an agent is read to see what waits for it, Unix milliseconds; Infinity when nothing does. */
  setDue(resident: Resident, at: number): void {
    if (!resident.removed) this.#times.set(resident.id, at);
  }

  /** Closes an agent that was removed. */
  forget(resident: Resident): Promise<void> {
    this.#times.set(resident.id, Number.POSITIVE_INFINITY);
    return this.#close(resident);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    this.#times.close();
    await Promise.all([...this.#awake].map((resident) => this.#close(resident)));
  }

  /** Does something with an agent, which is read from the store where it is not in memory, and stays there meanwhile. */
  async use<T>(resident: Resident, work: (agent: AwakeAgent) => Promise<T>): Promise<T> {
    const release = this.hold(resident);
    try {
      return await work(await this.wake(resident));
    } finally {
      release();
    }
  }

  /** Keeps an agent in memory until the function that this gives is called. */
  hold(resident: Resident): () => void {
    if (resident.removed || this.#closed)
      throw new MeshError('not_found', `No agent ${resident.id} lives on this node.`);
    resident.uses += 1;
    return () => {
      resident.uses -= 1;
      resident.usedAt = this.#options.ground.clock.now();
      this.#planLook();
    };
  }

  wake(resident: Resident): Promise<AwakeAgent> {
    if (resident.awake) return resident.awake;
    const awake = this.#read(resident);
    resident.awake = awake;
    this.#awake.add(resident);
    awake.catch(() => {
      if (resident.awake === awake) resident.awake = undefined;
      this.#awake.delete(resident);
    });
    return awake;
  }

  /** A peer, or an agent that it acts for, can be reached again. Agents that sleep have nothing to send. */
  appeared(peer: string): void {
    for (const { awake } of this.#awake) void awake?.then(({ messages }) => messages.reachable(peer)).catch(() => {});
  }

  /** A hub can be reached: broadcasts go now. */
  hubAppeared(): void {
    for (const { awake } of this.#awake) void awake?.then(({ messages }) => messages.hubReachable()).catch(() => {});
  }

  async #read(resident: Resident): Promise<AwakeAgent> {
    const { ground } = this.#options;
    await resident.closed;
    // Durable before anything is done: after a crash the agent is read again, to see what waits.
    if (!resident.record.awake) await this.#options.save(resident, { ...resident.record, awake: true });
    const successor = () => successorOf(resident);
    return wakeAgent(ground, { ...resident, successor, due: (at) => this.setDue(resident, at) });
  }

  /** Time moves a deal of an agent, or nobody knows what waits for it. */
  #isDue(id: string): void {
    this.#due.push(id);
    if (this.#readers < READERS) void this.#serveDue();
  }

  async #serveDue(): Promise<void> {
    this.#readers += 1;
    for (let id = this.#due.shift(); id !== undefined && !this.#closed; id = this.#due.shift()) {
      const resident = this.#options.find(id);
      if (!resident) continue;
      await this.use(resident, (agent) => agent.lookAtDeals()).catch((error: unknown) => {
        this.#options.ground.log.error({ error, agent: id }, 'an agent could not be read; it is tried again');
        this.setDue(resident, this.#options.ground.clock.now() + REST);
      });
    }
    this.#readers -= 1;
  }

  #planLook(): void {
    if (this.#cancelLook || this.#closed) return;
    this.#cancelLook = this.#options.ground.clock.after(LOOK, () => {
      void this.#letRest().finally(() => {
        this.#cancelLook = undefined;
        if (this.#awake.size > 0) this.#planLook();
      });
    });
  }

  /** Takes those out of memory that nobody has used for a while and nothing waits for. */
  async #letRest(): Promise<void> {
    const { clock, log } = this.#options.ground;
    for (const resident of [...this.#awake]) {
      const rests = () => resident.uses === 0 && clock.now() - resident.usedAt >= REST;
      if (this.#closed || !rests()) continue;
      try {
        const agent = await resident.awake;
        const holdsStrangers = agent?.holdsStrangers ?? false;
        if (!agent || (await agent.isBusy()) || !rests()) continue;
        const wake_at = this.#times.of(resident.id);
        // From here on, whoever uses it waits until it is closed and reads it anew.
        const closed = this.#close(resident);
        await closed;
        const { wake_at: _, ...record } = resident.record;
        const moment = wake_at !== Number.POSITIVE_INFINITY && { wake_at };
        if (!resident.awake) await this.#options.save(resident, { ...record, awake: holdsStrangers, ...moment });
      } catch (error) {
        log.error({ error, agent: resident.id }, 'an agent could not be put to rest');
      }
    }
  }

  #close(resident: Resident): Promise<void> {
    const { awake } = resident;
    resident.awake = undefined;
    this.#awake.delete(resident);
    if (awake) resident.closed = awake.then((agent) => agent.close()).catch(() => {});
    return resident.closed;
  }
}
