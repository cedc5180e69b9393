import { collection, type GateQuestion, type GateVerdict, type Health, type MessageName } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import type { Answer, Registry } from './registry.ts';

/** A key that the registry knew, and when it said so. */
export interface Known {
  readonly asset: string;
  readonly at: number;
}

/** How old an answer may be: for what binds or ends a deal, and for everything else. */
const BINDING_MS = 60_000;
const USUAL_MS = 600_000;
/** How long a key that the registry knew is let in while it cannot be asked. */
const TRUSTED_MS = 24 * 3_600_000;
/** How long a key that it did not know is put off without another question. */
const REFUSED_MS = 60_000;
/** A gate has two seconds. */
const PATIENCE_MS = 1_500;
/** A question that takes longer is asked again beside it. */
const OVERDUE_MS = 5_000;
const MOST_ASKED = 32;
/** Questions about keys that nobody knew, which cost nothing: the rest is for keys that were registered a while ago. */
const MOST_OF_STRANGERS = 16;
const MOST_IN_MEMORY = 10_000;
const MOST_STORED = 100_000;
const BINDING: ReadonlySet<MessageName> = new Set<MessageName>(['ACCEPT', 'DELIVER', 'VERDICT']);

const known = collection<Known>('known', { schema: 'registry8004/known', ttl: TRUSTED_MS });

type Remembered = Known | { readonly asset: undefined; readonly at: number };

/** Lets in the keys of registered agents. An answer that could not be had is none: it makes nobody unregistered. */
export class RegistryGate {
  readonly #registry: Registry;
  readonly #space: Space;
  readonly #clock: Clock;
  /** Oldest use first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #asked = new Map<string, { readonly answer: Promise<Answer>; readonly since: number }>();
  #running = 0;
  #trouble: string | undefined;

  constructor(registry: Registry, { space, clock }: { readonly space: Space; readonly clock: Clock }) {
    this.#registry = registry;
    this.#space = space;
    this.#clock = clock;
  }

  async admit({ sender, type, host }: GateQuestion): Promise<GateVerdict> {
    // It passes by the standing of its host.
    if (host !== undefined) return 'accepted';
    const isBinding = BINDING.has(type);
    const before = await this.#recall(sender);
    const age = before ? Math.abs(this.#clock.now() - before.at) : Number.POSITIVE_INFINITY;
    if (before?.asset !== undefined && age <= (isBinding ? BINDING_MS : USUAL_MS)) return 'accepted';
    if (before && before.asset === undefined && age <= REFUSED_MS) return 'restricted';
    const most = before?.asset === undefined ? MOST_OF_STRANGERS : MOST_ASKED;
    const answer = await this.#soon(this.#ask(sender, most));
    if (answer !== undefined && answer.status !== 'unknown')
      return answer.status === 'registered' ? 'accepted' : 'restricted';
    return before?.asset !== undefined && !isBinding && age <= TRUSTED_MS ? 'accepted' : 'restricted';
  }

  health(): Health {
    if (this.#trouble === undefined) return { state: 'ok' };
    return {
      state: 'degraded',
      detail: `The registry cannot be asked, so agents that are not known are put off: ${this.#trouble}`,
      remedy: 'Check the RPC of the ledger; --registry-8004-disabled opens the gate to everybody.',
    };
  }

  async #recall(key: string): Promise<Remembered | undefined> {
    const found = this.#remembered.get(key) ?? (await this.#space.get(known.ref(key)));
    if (found) this.#remember(key, found);
    return found;
  }

  #remember(key: string, one: Remembered): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, one);
    if (this.#remembered.size <= MOST_IN_MEMORY) return;
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }

  /** Undefined when nothing can be asked now: as many questions run as may for such a key. */
  #ask(key: string, most: number): Promise<Answer> | undefined {
    const asked = this.#asked.get(key);
    if (asked && this.#clock.now() - asked.since < OVERDUE_MS) return asked.answer;
    if (this.#running >= most) return asked?.answer;
    this.#running += 1;
    const since = this.#clock.now();
    const answer = this.#registry
      .byKey(key)
      .then((said) => this.#note(key, said, since))
      .catch((error: unknown): Answer => ({ status: 'unknown', reason: String(error) }))
      .finally(() => {
        this.#running -= 1;
        if (this.#asked.get(key)?.answer === answer) this.#asked.delete(key);
      });
    this.#asked.set(key, { answer, since });
    return answer;
  }

  /** An answer is as old as its question: one that took long is nothing newer than one that was asked for later. */
  async #note(key: string, answer: Answer, at: number): Promise<Answer> {
    this.#trouble = answer.status === 'unknown' ? answer.reason : undefined;
    if (answer.status === 'unknown' || (this.#remembered.get(key)?.at ?? 0) > at) return answer;
    if (answer.status === 'unregistered') {
      // On disk first, so that nobody is let in again after a restart.
      await this.#space.del(known.ref(key));
      this.#remember(key, { asset: undefined, at });
      return answer;
    }
    const one = { asset: answer.asset, at };
    this.#remember(key, one);
    if ((await this.#space.count(known)) < MOST_STORED) await this.#space.put(known.ref(key), one);
    return answer;
  }

  async #soon(answer: Promise<Answer> | undefined): Promise<Answer | undefined> {
    if (!answer) return undefined;
    let cancel = () => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(PATIENCE_MS, () => resolve(undefined));
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      cancel();
    }
  }
}
