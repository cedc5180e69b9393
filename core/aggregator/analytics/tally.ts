import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { MOST_NAMES, SLOT_MS } from './parameters.ts';
import type { Sample } from './samples.ts';

/** The counts of one agent in one epoch that is not closed. */
export type Tally = SchemaTypes['stored-entropy-tally'];
type Counts = Readonly<Record<string, number>>;

export function newTally(agentId: string, epoch: number): Tally {
  const nothing = { gaps: {}, amounts: {}, partners: {}, verifiers: {}, types: {} };
  return { agent_id: agentId, epoch, last: 0, moments: 0, ...nothing };
}

export function withSample(tally: Tally, sample: Sample): Tally {
  switch (sample.kind) {
    case 'message':
      return withMoment({ ...tally, types: plus(tally.types, sample.type) }, sample.at);
    case 'amount':
      return { ...tally, amounts: plus(tally.amounts, amountBucket(sample.amount)) };
    case 'partner':
      return { ...tally, partners: withName(tally.partners, sample.name) };
    case 'verifier':
      return { ...tally, verifiers: withName(tally.verifiers, sample.name) };
  }
}

/**
 * Messages that arrive within a slot of each other are one moment: a node that could not report for an hour reports it all at
 * once, and that says nothing about its agent.
 */
function withMoment(tally: Tally, at: number): Tally {
  const { moments, last, gaps } = tally;
  if (moments === 0) return { ...tally, moments: 1, last: at };
  if (at - last < SLOT_MS) return { ...tally, last: Math.max(last, at) };
  return { ...tally, moments: moments + 1, last: at, gaps: plus(gaps, gapBucket(at - last)) };
}

export function sampleCount(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The names that were counted apart; none where there were too many. */
export function namesIn(counts: Counts): string[] {
  return isFolded(counts) ? [] : Object.keys(counts).sort();
}

/** The whole part of the binary logarithm of a gap in slots. */
function gapBucket(ms: number): string {
  return String(Math.floor(Math.log2(Math.floor(ms / SLOT_MS))));
}

/** The same of an amount in minor units, which is above 0. */
function amountBucket(minorUnits: bigint): string {
  return String(minorUnits.toString(2).length - 1);
}

/** A name of 32 bytes in base58 is longer than a place. */
function isFolded(counts: Counts): boolean {
  for (const name in counts) return name.length === 2;
  return false;
}

/** The names and the places are the same in whatever order the names came. */
function withName(counts: Counts, name: string): Counts {
  if (isFolded(counts)) return plus(counts, placeOf(name));
  const more = plus(counts, name);
  if (Object.keys(more).length <= MOST_NAMES) return more;
  return Object.entries(more).reduce((folded: Counts, [one, count]) => plus(folded, placeOf(one), count), {});
}

function placeOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 2);
}

function plus(counts: Counts, name: string, count = 1): Record<string, number> {
  return { ...counts, [name]: (counts[name] ?? 0) + count };
}
