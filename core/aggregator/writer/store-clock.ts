import type { Store } from '../../storage/store.ts';

/** Envelopes of a clock that is ahead by more are refused everywhere. */
const MOST_APART = 30_000;

/**
 * The fault of a clock here that is far from the store's, as a sentence for the operator; undefined when there is none. The clock tells which envelopes
 * are in time, which epochs are over and which hosts are silent, and others on the store would find done what such a clock had wrongly done.
 */
export function clockFault({ ahead }: Pick<Store, 'ahead'>): string | undefined {
  if (Math.abs(ahead) <= MOST_APART) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `The clock here is ${seconds} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the one of the store, which other aggregators use, too.`;
}

export const CLOCK_REMEDY = 'Set the clock of this machine, or that of the store, and let both follow a time server.';
