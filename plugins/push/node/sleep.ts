import { Alarm, collection, isMeshError, type Log, MeshError } from '../../../core/plugin.ts';
import type { AggregatorCalls, Clock, Contracts, Space } from '../../../core/services.ts';
import type { Drain } from './drain.ts';
import { type AggregatorView, SLEEP_ANSWER } from './shapes.ts';

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds until a queue is looked at again that has lent messages to a process that is gone. */
const UNTIL_GIVEN_BACK = 3_000;
const TO_TELL = 4_000;

const wish = collection<{ readonly sleeping: boolean }>('wish', { schema: 'push/wish' }).ref('own');

export interface SleepParts {
  readonly agentId: string;
  readonly device: { readonly token: string; readonly provider?: string | undefined } | undefined;
  readonly aggregators: AggregatorCalls;
  readonly contracts: Contracts;
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly drain: Drain;
  /** Has the mesh reach this node again, and asks the nearest hub for a slot; resolves within seconds, whatever comes of it. */
  rejoin(): Promise<unknown>;
}

interface Aggregator {
  readonly url: string;
  told: boolean | undefined;
  registered: boolean;
  pending: number;
  problem: string | undefined;
  failures: number;
  due: number;
  /** One step after the other. */
  last: Promise<unknown>;
}

/** Tells each aggregator whether this agent sleeps, until it has heard it, and takes what waited when it wakes. */
export class Sleep {
  readonly #parts: SleepParts;
  readonly #each: readonly Aggregator[];
  readonly #alarm: Alarm;
  /** Undefined while this agent has never slept: then nobody is told anything. */
  #sleeping: boolean | undefined;
  /** Since this agent was told to wake. */
  #rejoined: Promise<unknown> | undefined;

  constructor(parts: SleepParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
    this.#each = parts.aggregators.urls.map((url) => ({
      ...{ url, told: undefined, registered: false, pending: 0, problem: undefined },
      ...{ failures: 0, due: 0, last: Promise.resolve() },
    }));
  }

  get sleeping(): boolean {
    return this.#sleeping ?? false;
  }

  get aggregators(): readonly AggregatorView[] {
    return this.#each.map(({ url, told, registered, pending, problem }) => ({
      ...{ url, sleeping: told ?? null, registered, pending, problem: problem ?? null },
    }));
  }

  /** A node that starts is awake; one that has a device, or slept before, says so. */
  async start(): Promise<void> {
    const { space, device } = this.#parts;
    if (!device && !(await space.get(wish))?.sleeping) return;
    await this.#wants(false);
    this.#alarm.ring();
  }

  /** Resolves when every aggregator was asked once; those that did not hear it are told later. */
  async set(sleeping: boolean): Promise<void> {
    if (this.#each.length === 0)
      throw new MeshError('conflict', 'This node has no aggregator to hold its messages: set mesh.aggregators.');
    await this.#wants(sleeping);
    await Promise.all(this.#each.map((one) => this.#step(one))).finally(() => this.#alarm.ring());
  }

  /** Resolves when one is asked again that has not heard it, or holds messages still. */
  due(signal: AbortSignal): Promise<void> {
    const late = this.#each.filter((one) => !this.#isDone(one));
    return this.#alarm.until(Math.min(...late.map(({ due }) => due)), signal);
  }

  /** Goes on with those that have not heard it, or hold messages still. */
  async goOn(): Promise<void> {
    const now = this.#parts.clock.now();
    const late = this.#each.filter((one) => !this.#isDone(one) && one.due <= now);
    await Promise.all(late.map((one) => this.#step(one)));
  }

  async #wants(sleeping: boolean): Promise<void> {
    await this.#parts.space.put(wish, { sleeping });
    this.#sleeping = sleeping;
    for (const one of this.#each) if (one.told !== sleeping) one.due = 0;
    // A wake takes what waits, also where it is known to be awake.
    if (!sleeping) for (const one of this.#each) one.told = undefined;
    this.#rejoined = undefined;
  }

  #isDone({ told, pending }: Aggregator): boolean {
    if (this.#sleeping === undefined) return true;
    return told === this.#sleeping && (this.#sleeping || pending === 0);
  }

  #step(one: Aggregator): Promise<void> {
    const step = one.last.then(() => this.#tryOnce(one));
    one.last = step.catch(() => {});
    return step;
  }

  async #tryOnce(one: Aggregator): Promise<void> {
    if (this.#isDone(one)) return;
    const { clock, log, drain } = this.#parts;
    const sleeping = this.sleeping;
    try {
      // Senders that learn of the wake find the agent: over the slot at a hub at first.
      if (!sleeping) await this.#join();
      await this.#register(one);
      // While it sleeps at the aggregator nobody is turned away there; what comes until it is awake is taken after that.
      if (!sleeping) await drain.from(one.url);
      one.pending = await this.#tell(one.url, sleeping);
      one.told = sleeping;
      if (!sleeping && one.pending > 0) {
        await drain.from(one.url);
        one.pending = await this.#tell(one.url, sleeping);
      }
      one.problem = undefined;
      one.failures = 0;
      one.due = clock.now() + UNTIL_GIVEN_BACK;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      one.failures += 1;
      one.problem = error.message;
      one.due = clock.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(one.failures - 1, 10));
      log.warn(
        { aggregator: new URL(one.url).host, error: error.message },
        'an aggregator does not know yet whether this agent sleeps',
      );
    }
  }

  /** Once for a wake. */
  #join(): Promise<unknown> {
    this.#rejoined ??= this.#parts.rejoin();
    return this.#rejoined;
  }

  async #register(one: Aggregator): Promise<void> {
    const { device, agentId } = this.#parts;
    if (!device || one.registered) return;
    const body = { agent_id: agentId, push_token: device.token, ...(device.provider && { provider: device.provider }) };
    await this.#post(one.url, '/push/register', body);
    one.registered = true;
  }

  async #tell(url: string, sleeping: boolean): Promise<number> {
    const { agentId, contracts } = this.#parts;
    const answer = await this.#post(url, '/push/sleep', { agent_id: agentId, sleeping });
    if (contracts.problems(SLEEP_ANSWER, answer).length === 0) return (answer as { pending: number }).pending;
    throw new MeshError('upstream_failed', `${new URL(url).host} answered with another shape.`);
  }

  async #post(url: string, path: string, body: object): Promise<unknown> {
    const answer = await this.#parts.aggregators.call(url, { path, body, signed: true, timeout: TO_TELL });
    if (answer.status === 200) return answer.body;
    const { detail } = (answer.body ?? {}) as { detail?: unknown };
    const said = typeof detail === 'string' ? `: ${detail.slice(0, 200)}` : '';
    throw new MeshError('upstream_failed', `${new URL(url).host} answered ${answer.status}${said}`);
  }
}
