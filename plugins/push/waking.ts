import type { Log } from '../../core/plugin.ts';
import type { Clock, Count, Space } from '../../core/services.ts';
import { Lanes } from './lanes.ts';
import { fresh } from './mailbox.ts';
import type { Outcome, PushProvider } from './providers/provider.ts';
import { type Device, devices, mailboxes, sleepers, type Wake, wakes } from './records.ts';

/** Milliseconds for which nobody else takes up a wake that is being worked on. */
const CLAIM = 60_000;
/** Milliseconds after a push when the agent should have come. */
const EXPECTED = 15 * 60_000;
/** Pushes of one message after which nobody came; the next message begins anew. */
const ROUNDS = 4;
/** Failed pushes in a row. */
const TRIES = 8;
const FIRST_RETRY = 15_000;
const LONGEST_RETRY = 3_600_000;
const PAGE = 100;

export interface WakingParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly providers: readonly PushProvider[];
  /** Pushes by provider and result. */
  readonly pushed: Count;
  /** Pushes after which nobody came in time. */
  readonly missed: Count;
}

/** Wakes devices: one push for a sleeper, however many messages wait, and another one when nobody came. */
export class Waking {
  readonly #parts: WakingParts;
  readonly #lanes: Lanes;

  constructor(parts: WakingParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(() => parts.clock.now());
  }

  /** A message waits, or a device was registered for those that do: there is one wake for both, kept in the store. */
  async begin(agent: string): Promise<void> {
    const { space } = this.#parts;
    const [wake, device, sleeper] = [wakes.ref(agent), devices.ref(agent), sleepers.ref(agent)];
    const { value: isNew } = await space.tx([wake, device, sleeper], (tx) => {
      if (tx.get(wake) || !tx.get(device) || !tx.get(sleeper)) return false;
      tx.put(wake, { agent_id: agent, phase: 'send', due: tx.now, tries: 0, rounds: 0 });
      return true;
    });
    if (isNew) await this.#advance(agent);
  }

  /** The agent came, or is awake. */
  async end(agent: string): Promise<void> {
    const { space } = this.#parts;
    if (await space.get(wakes.ref(agent))) await space.del(wakes.ref(agent));
  }

  /** Takes up the wakes that are due, such as those of a process that is gone. */
  async due(): Promise<number> {
    const { space, clock } = this.#parts;
    const rows = await space.page(wakes, { index: 'due', to: [clock.now() + 1], limit: PAGE });
    for (const { value } of rows) await this.#advance(value.agent_id);
    const [next] = await space.page(wakes, { index: 'due', limit: 1 });
    return next?.value.due ?? Number.POSITIVE_INFINITY;
  }

  /** Gives a push to its lane, or looks whether the agent came after one. Resolves before the push is made. */
  async #advance(agent: string): Promise<void> {
    const { space, missed } = this.#parts;
    const refs = [wakes.ref(agent), devices.ref(agent), mailboxes.ref(agent)] as const;
    const [wakeRef, deviceRef, mailboxRef] = refs;
    const { value: claimed } = await space.tx([...refs], (tx) => {
      const [wake, device] = [tx.get(wakeRef), tx.get(deviceRef)];
      if (!wake || wake.due > tx.now) return undefined;
      const isMissed = wake.phase === 'sent';
      if (!device || fresh(tx.get(mailboxRef), tx.now).entries.length === 0) return void tx.del(wakeRef);
      const { ticket, ...rest } = wake;
      const rounds = isMissed ? wake.rounds + 1 : wake.rounds;
      if (isMissed) tx.put(deviceRef, { ...device, missed: device.missed + 1 });
      if (rounds >= ROUNDS) tx.del(wakeRef);
      else tx.put(wakeRef, { ...rest, phase: 'send', rounds, tries: isMissed ? 0 : wake.tries, due: tx.now + CLAIM });
      return { device, rounds, isMissed, ticket };
    });
    if (!claimed) return;
    const { device, rounds, isMissed, ticket } = claimed;
    if (isMissed) missed({ provider: device.provider });
    const provider = this.#parts.providers.find(({ name }) => name === device.provider);
    if (!provider || rounds >= ROUNDS) return;
    const lane = provider.laneOf(device.token);
    const opens = this.#lanes.opensAt(lane);
    if (opens > 0) return this.#postpone(agent, opens);
    const push = this.#lanes.run(lane, () => this.#push(agent, provider, device, ticket));
    push.catch((err: unknown) =>
      this.#parts.log.error({ err, provider: provider.name }, 'a push could not be recorded'),
    );
  }

  async #push(agent: string, provider: PushProvider, device: Device, ticket: string | undefined) {
    const { pushed, log } = this.#parts;
    const outcome = await this.#tried(provider, device.token, agent, ticket);
    pushed({ provider: provider.name, result: outcome.result });
    if ('reason' in outcome) log.warn({ provider: provider.name, reason: outcome.reason }, 'a push was not taken');
    await this.#settle(agent, device, outcome);
    const failed = outcome.result === 'later' && outcome.ofDevice !== true;
    return { failed, ...(failed && outcome.after !== undefined && { after: outcome.after }) };
  }

  async #tried(provider: PushProvider, token: string, agent: string, ticket: string | undefined): Promise<Outcome> {
    const { signal } = this.#parts;
    try {
      const before = ticket === undefined ? undefined : await provider.became?.(ticket, signal);
      return before?.result === 'gone' ? before : await provider.wake(token, agent, signal);
    } catch (error) {
      // Its message names the host and never the path, which may be a secret.
      return { result: 'later', reason: error instanceof Error ? error.message : 'no answer' };
    }
  }

  async #settle(agent: string, device: Device, outcome: Outcome): Promise<void> {
    const { space } = this.#parts;
    const [wakeRef, deviceRef] = [wakes.ref(agent), devices.ref(agent)];
    await space.tx([wakeRef, deviceRef], (tx) => {
      const [wake, known] = [tx.get(wakeRef), tx.get(deviceRef)];
      const isSame = known?.token === device.token && known.provider === device.provider;
      if (outcome.result === 'gone' && isSame) tx.del(deviceRef);
      if (!wake) return;
      const next = isSame || outcome.result !== 'gone' ? after(wake, outcome, tx.now) : { ...wake, due: tx.now };
      if (next) tx.put(wakeRef, next);
      else tx.del(wakeRef);
    });
  }

  async #postpone(agent: string, due: number): Promise<void> {
    const wakeRef = wakes.ref(agent);
    await this.#parts.space.tx([wakeRef], (tx) => {
      const wake = tx.get(wakeRef);
      if (wake) tx.put(wakeRef, { ...wake, due });
    });
  }
}

/** The wake after a push; undefined when there is nothing more to be done before the next message. */
function after(wake: Wake, outcome: Outcome, now: number): Wake | undefined {
  const { ticket: _, ...rest } = wake;
  switch (outcome.result) {
    case 'sent': {
      const { ticket } = outcome;
      return { ...rest, phase: 'sent', tries: 0, due: now + EXPECTED, ...(ticket !== undefined && { ticket }) };
    }
    case 'later': {
      const tries = wake.tries + 1;
      if (tries >= TRIES) return undefined;
      const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (tries - 1));
      return { ...rest, tries, due: now + Math.max(pause, outcome.after ?? 0) };
    }
    default:
      return undefined;
  }
}
