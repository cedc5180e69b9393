import { chanceOf } from './chance.ts';
import type { Person } from './people.ts';

/** How an agent of the town decides: by the seed of the town and the work alone, so that it decides the same after a restart. */
export interface Character {
  /** The provider's answer to an offer. */
  answer(message: string, offer: number): 'accept' | 'reject' | { readonly counter: number };
  /** The requester's answer to a higher price. */
  takesPrice(message: string, price: number): boolean;
  /** Whether what it delivers is half of the work only. */
  isSloppy(message: string): boolean;
  /** Whether it refuses the offer of a dispute. */
  contests(message: string): boolean;
  /** As a notary: whether the provider is right. */
  isForProvider(message: string): boolean;
  /** Its rating of the other side, from -100 to 100. */
  rates(message: string, isDisputed: boolean): number;
}

const REFUSALS = 0.06;
const HAGGLING = 0.35;
const RAISE = 1.2;
const BARGAINS = 0.1;
const SLOPPY: Readonly<Record<string, number>> = { 'ocr-bench': 0.3 };
const USUALLY_SLOPPY = 0.03;

export function characterOf({ name, prices: [least, most] }: Person, seed: string): Character {
  const chance = (what: string, message: string) => chanceOf(seed, name, what, message);
  return {
    answer(message, offer) {
      if (chance('refuses', message) < REFUSALS) return 'reject';
      if (offer === 0) return 'accept';
      const wished = chance('haggles', message) < HAGGLING ? cents(offer * RAISE) : offer;
      const price = Math.max(least, Math.min(wished, most));
      return price > offer ? { counter: price } : 'accept';
    },
    takesPrice: (message) => chance('takes', message) >= BARGAINS,
    isSloppy: (message) => chance('sloppy', message) < (SLOPPY[name] ?? USUALLY_SLOPPY),
    contests: (message) => chance('contests', message) < 0.5,
    isForProvider: (message) => chance('decides', message) < 0.4,
    rates(message, isDisputed) {
      const share = chance('rates', message);
      return isDisputed ? -30 - Math.floor(share * 50) : 62 + Math.floor(share * 37);
    },
  };
}

function cents(usdc: number): number {
  return Math.round(usdc * 100) / 100;
}
