import type { Inbound } from './inbound.ts';

/** Limits, at any one time, for all keys together that have had no business with this node. */
export interface StrangerLimits {
  /** Offers of theirs that wait for an answer. */
  readonly offers: number;
  /** Bytes of their letters that wait in the inbox. */
  readonly inboxBytes: number;
}

export const STRANGER_LIMITS: StrangerLimits = { offers: 400, inboxBytes: 16 * 1024 * 1024 };

/** Which bound a stranger met. */
export type StrangerBound = 'offers' | 'inbox';

/** One address's largest share of the amount that the others have left, and one key's of its address's share. */
const OF_ADDRESS = 1 / 4;
const OF_KEY = 1 / 5;

/** Something that a stranger takes up. */
export interface Taken {
  readonly key: string;
  readonly network: string;
  readonly amount: number;
}

/** The share that several of them have together. */
export interface Within {
  readonly share: StrangerShare;
  readonly prefix: string;
}

/**
 * Counts the share of one limit that strangers have taken: in all, by address and by key. An address may have a quarter
 * of the amount that the others have left, and a key a fifth of that, so however many there are, the next one gets
 * something. All strangers behind one hub count as one address, because the hub alone knows theirs.
 */
export class StrangerShare {
  readonly #most: number;
  readonly #within: Within | undefined;
  readonly #held = new Map<string, Taken>();
  readonly #byKey = new Map<string, number>();
  readonly #byNetwork = new Map<string, number>();
  #all = 0;

  /** With `within`, everything counts there too, under names that begin with its prefix. */
  constructor(most: number, within?: Within) {
    this.#most = most;
    this.#within = within;
  }

  get names(): string[] {
    return [...this.#held.keys()];
  }

  /** Why so much more does not fit; undefined when it does. */
  problem(taken: Taken): string | undefined {
    return this.#ownProblem(taken) ?? this.#within?.share.problem(taken);
  }

  #ownProblem({ key, network, amount }: Taken): string | undefined {
    const [ofKey, ofNetwork] = [this.#byKey.get(key) ?? 0, this.#byNetwork.get(network) ?? 0];
    const left = this.#most - (this.#all - ofNetwork);
    const part = Math.ceil(left * OF_ADDRESS);
    const leftOfPart = part - Math.max(0, ofNetwork - ofKey);
    if (left < ofNetwork + amount) return 'all unknown keys';
    if (ofNetwork + amount > part) return 'one address';
    return ofKey + amount > Math.ceil(leftOfPart * OF_KEY) ? 'one unknown key' : undefined;
  }

  take(name: string, taken: Taken): void {
    this.free(name);
    this.#held.set(name, taken);
    this.#count(taken, taken.amount);
    this.#within?.share.take(`${this.#within.prefix}${name}`, taken);
  }

  free(name: string): void {
    const taken = this.#held.get(name);
    if (!taken) return;
    this.#held.delete(name);
    this.#count(taken, -taken.amount);
    this.#within?.share.free(`${this.#within.prefix}${name}`);
  }

  #count({ key, network }: Taken, by: number): void {
    this.#all += by;
    add(this.#byKey, key, by);
    add(this.#byNetwork, network, by);
  }
}

/** Where a letter came from, when it is a stranger's and finds a place. */
export type Admitted =
  | { readonly stranger?: undefined }
  | {
      readonly stranger: string;
      /** It stands in the inbox under this cursor; or it was refused after all, and gives back what it took. */
      settle(cursor: number | undefined): void;
    }
  | { readonly refused: string };

/** Decides whether a letter is admitted, after the protocol and the rules of its deal. */
export interface Strangers {
  admit(message: Inbound, bytes: number, remote: string): Promise<Admitted>;
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
