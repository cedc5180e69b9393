import { adapters } from '../../adapters/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import type { Adapters } from '../../core/host/wiring/adapters.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { type StorageAdapter, StorageError } from '../../core/storage/adapter.ts';
import { Rows } from '../../core/storage/rows.ts';

/** Where a node is killed: at the n-th commit of its store or call of its ledger from now, before or after it is done. */
export interface Doom {
  readonly seam: 'commit' | 'ledger';
  readonly at: number;
  readonly after: boolean;
}

/** Hears what a ledger answered to a call, also when its node was killed meanwhile. */
export type Hear = (call: string, args: readonly unknown[], answer: unknown) => void;

export class Killed extends Error {
  constructor() {
    super('the process was killed');
  }
}

/**
 * One process of a node, so to speak: from its start to the moment it is killed. From then on its store takes and tells
 * nothing, and its calls to the ledger are cut; what it had acknowledged before is all that its successor finds.
 */
export class Life {
  readonly #onDeath: () => void;
  readonly #onTold: Hear;
  #doom: { -readonly [K in keyof Doom]: Doom[K] } | undefined;
  #ledger: Ledger | undefined;
  dead = false;

  constructor(onDeath: () => void, onTold: Hear) {
    this.#onDeath = onDeath;
    this.#onTold = onTold;
  }

  /** Without a doom it lives on. */
  arm(doom: Doom | undefined): void {
    this.#doom = doom && { ...doom };
  }

  die(): void {
    if (this.dead) return;
    this.dead = true;
    // Calls that were not sent yet never are; of those that were, nobody knows.
    void this.#ledger?.close();
    this.#onDeath();
  }

  store(inner: StorageAdapter): StorageAdapter {
    return this.#over(
      inner,
      (name) => (name === 'commit' ? 'commit' : undefined),
      [],
      () => new StorageError('closed', 'the process was killed'),
    );
  }

  ledger(inner: Ledger): Ledger {
    this.#ledger = inner;
    const seam = (name: string) => (LEDGER_CALLS.has(name) ? ('ledger' as const) : undefined);
    return this.#over(inner, seam, ['settlement'], () => new Killed());
  }

  #over<T extends object>(
    target: T,
    seamOf: (name: string) => Doom['seam'] | undefined,
    parts: readonly string[],
    refusal: () => Error,
  ): T {
    return new Proxy(target, {
      get: (of, name) => {
        const member = Reflect.get(of, name);
        if (parts.includes(String(name)) && member) return this.#over(member as object, seamOf, [], refusal);
        if (typeof member !== 'function') return member;
        const seam = seamOf(String(name));
        return (...args: unknown[]) => {
          if (name === 'close') return member.apply(of, args);
          if (this.dead) return refused(member, refusal());
          if (!seam) return member.apply(of, args);
          const call = () => member.apply(of, args);
          if (seam === 'commit') return this.#counted(seam, call, refusal);
          return this.#counted(seam, () => this.#heard(String(name), args, call()), refusal);
        };
      },
    });
  }

  async #heard(call: string, args: readonly unknown[], answer: Promise<unknown>): Promise<unknown> {
    const value = await answer;
    this.#onTold(call, args, value);
    return value;
  }

  async #counted(seam: Doom['seam'], call: () => Promise<unknown>, refusal: () => Error): Promise<unknown> {
    const hit = this.#doom?.seam === seam && --this.#doom.at <= 0;
    const after = this.#doom?.after === true;
    if (hit && !after) this.die();
    if (this.dead) throw refusal();
    const value = await call();
    if (hit) this.die();
    if (this.dead) throw refusal();
    return value;
  }
}

const LEDGER_CALLS = new Set([
  ...['submit', 'outcome', 'prepare', 'prepareUsdcTransfer', 'sentUsdc'],
  ...['prepareSponsoredUsdc', 'sponsoredOutcome'],
]);
const AT_ONCE = new Set(['slot', 'health', 'escrowAddress']);

function refused(member: { readonly name: string }, error: Error): unknown {
  if (AT_ONCE.has(member.name)) throw error;
  return Promise.reject(error);
}

/** The lives of all nodes of a play, and what each node's store holds over them. */
export class Lives {
  readonly #rows = new Map<string, Rows>();
  readonly #lives = new Map<string, Life>();
  readonly #clock: Clock;
  readonly #onDeath: (name: string) => void;
  readonly #onTold: (name: string, ...told: Parameters<Hear>) => void;

  constructor(
    clock: Clock,
    onDeath: (name: string) => void,
    onTold: (name: string, ...told: Parameters<Hear>) => void = () => {},
  ) {
    this.#clock = clock;
    this.#onDeath = onDeath;
    this.#onTold = onTold;
  }

  of(name: string): Life {
    return this.#lives.get(name)!;
  }

  /** The adapters of a new life of this node. */
  begin(name: string): Adapters {
    const before = this.#lives.get(name);
    if (before && !before.dead) throw new Error(`${name} is alive`);
    const life = new Life(
      () => this.#onDeath(name),
      (...told) => this.#onTold(name, ...told),
    );
    this.#lives.set(name, life);
    const rows = this.#rows.get(name) ?? new Rows(() => this.#clock.now());
    this.#rows.set(name, rows);
    return {
      ...adapters,
      storage: { memory: async ({ clock }) => life.store(memoryStorage({ clock, rows })) },
      ledger: { solana: async (options) => life.ledger(await adapters.ledger['solana']!(options)) },
    };
  }
}
