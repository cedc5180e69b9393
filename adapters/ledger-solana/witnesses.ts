import { isDeepStrictEqual } from 'node:util';
import { MeshError } from '../../core/contracts/errors.ts';
import type { Reading } from '../../core/ledger/settlement.ts';
import type { Clock } from '../../core/platform/clock.ts';
import type { Health } from '../../core/plugin.ts';
import { READ_ACCOUNTS } from './holdings.ts';
import type { JsonRpc } from './json-rpc.ts';
import { MIN_CONTEXT_SLOT_NOT_REACHED, RpcRefusal } from './rpc-faults.ts';
import { readClock } from './settlement/clock-account.ts';

/** How long a node that is behind another is waited for. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 500;
/** A slot this far ahead of the newest believed one is believed only when the ledger's own clock has reached it too. */
const FAR_SLOTS = 9_000;
/** A working node answers within this many milliseconds. */
const LOOK_MS = 700;
const REMEDY =
  'Nothing is signed, paid or decided by such answers: check the RPC, or start the node with another --rpc-url.';

/** Reads something finalised from one node, not from before the slot. */
export type FinalizedRead<T> = (rpc: JsonRpc, atLeast: number) => Promise<Reading<T>>;
/** Whether an answer of an earlier slot and one of a later slot can both be true. */
export type Agreement<T> = (older: T, newer: T) => boolean;

interface Question<T> {
  readonly rpc: JsonRpc;
  readonly read: FinalizedRead<T>;
  /** Not from before this slot. */
  readonly from: number;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

interface Testimony<T> {
  readonly rpc: JsonRpc;
  readonly reading: Reading<T>;
}

/**
 * The RPC nodes that tell about one ledger. State that decides about money is believed when all nodes give it, and a
 * believed slot is never followed by an older one: a node that lags is waited for, or not believed. With a single
 * node only the second holds. State that is merely shown, and transactions that are prepared or sent, go through the
 * first node.
 */
export class Witnesses {
  readonly all: readonly [JsonRpc, ...JsonRpc[]];
  readonly #clock: Clock;
  #newest = 0;

  constructor(all: readonly [JsonRpc, ...JsonRpc[]], clock: Clock) {
    this.all = all;
    this.#clock = clock;
  }

  get first(): JsonRpc {
    return this.all[0];
  }

  /** The newest finalised slot that was believed: nothing from before it is. */
  get newest(): number {
    return this.#newest;
  }

  /**
   * The value that all nodes give as finalised, at a slot that is neither before `atLeast` nor before one that was
   * believed earlier. Fails with `ledger_unavailable` when a node does not answer, stays behind, or gives another
   * value. `agree` is equality unless given.
   */
  async finalized<T>(
    read: FinalizedRead<T>,
    atLeast = 0,
    agree: Agreement<T> = isDeepStrictEqual,
  ): Promise<Reading<T>> {
    const from = Math.max(atLeast, this.#newest);
    const until = this.#clock.now() + PATIENCE_MS;
    const said = await Promise.all(this.all.map((rpc) => this.#testimony({ rpc, read, from, until })));
    const reading = await this.#agreed(said, { read, agree, until });
    if (reading.slot > this.#newest + FAR_SLOTS)
      await Promise.all(this.all.map((rpc) => checkReached(rpc, reading.slot)));
    this.#newest = Math.max(this.#newest, reading.slot);
    return reading;
  }

  /** The newest finalised slot that all nodes have reached. */
  async slot(): Promise<number> {
    const read: FinalizedRead<null> = async (rpc, atLeast) => {
      const options = { commitment: 'finalized', ...(atLeast > 0 && { minContextSlot: atLeast }) };
      const answer = await rpc.ask('getSlot', [options]);
      const slot = answer.natural();
      if (slot < atLeast) throw rpc.behind('getSlot', slot, atLeast);
      return { slot, value: null };
    };
    return (await this.finalized(read)).slot;
  }

  health(): Health {
    const complaints = this.all.flatMap(({ standing }) => standing.complaint() ?? []);
    if (complaints.length === 0) return { state: 'ok' };
    return { state: 'degraded', detail: `${complaints.join('; ')}.`, remedy: REMEDY };
  }

  /** Asks nodes that have not answered anything lately whether they do. */
  async look(): Promise<void> {
    await Promise.all(this.all.map((rpc) => rpc.look(LOOK_MS)));
  }

  close(): void {
    for (const rpc of this.all) rpc.close();
  }

  /** A node that has not reached the slot is waited for where there is another one: it is said to lag, not the ledger. */
  async #testimony<T>({ rpc, read, from, until }: Question<T>): Promise<Testimony<T>> {
    for (;;) {
      try {
        return { rpc, reading: await read(rpc, from) };
      } catch (error) {
        if (!isBehind(error) || this.all.length === 1 || this.#clock.now() >= until) throw error;
      }
      await this.#clock.sleep(PAUSE_MS);
    }
  }

  /** Nodes that differ from the newest answer are asked again for its slot, until they agree with it or are newer. */
  async #agreed<T>(
    said: readonly Testimony<T>[],
    { read, agree, until }: { read: FinalizedRead<T>; agree: Agreement<T>; until: number },
  ): Promise<Reading<T>> {
    for (let now = said; ; ) {
      const newest = now.reduce((one, other) => (slotOf(other) > slotOf(one) ? other : one));
      const others = now.filter((one) => one !== newest && !agree(one.reading.value, newest.reading.value));
      if (others.length === 0) return { slot: Math.min(...now.map(slotOf)), value: newest.reading.value };
      const liar = others.find((one) => slotOf(one) === slotOf(newest));
      if (liar || this.#clock.now() >= until) throw disagreement(newest, liar ?? others[0]!);
      await this.#clock.sleep(PAUSE_MS);
      const again = others.map((one) => later(one, read, slotOf(newest)));
      now = [...now.filter((one) => !others.includes(one)), ...(await Promise.all(again))];
    }
  }
}

/** The same node's answer for that slot or a later one; its former answer while it has not reached that slot. */
async function later<T>(before: Testimony<T>, read: FinalizedRead<T>, atLeast: number): Promise<Testimony<T>> {
  try {
    return { rpc: before.rpc, reading: await read(before.rpc, atLeast) };
  } catch (error) {
    if (isBehind(error)) return before;
    throw error;
  }
}

function isBehind(error: unknown): boolean {
  const { cause } = error as Error;
  return cause instanceof RpcRefusal && cause.code === MIN_CONTEXT_SLOT_NOT_REACHED;
}

function slotOf<T>({ reading }: Testimony<T>): number {
  return reading.slot;
}

/** One broken number must not make every later answer look old. */
async function checkReached(rpc: JsonRpc, slot: number): Promise<void> {
  const { value } = await readClock(rpc);
  if (value.slot + FAR_SLOTS < slot)
    throw rpc.answerOf(READ_ACCOUNTS, slot).wrong('a slot that the ledger has reached');
}

function disagreement<T>(newest: Testimony<T>, other: Testimony<T>): MeshError {
  const [one, two] = [newest, other].map(({ rpc }) => rpc.standing.ordinal);
  const isBehind = slotOf(other) < slotOf(newest);
  const reason = isBehind
    ? `RPC ${two} stays behind: it tells of slot ${slotOf(other)}, RPC ${one} of slot ${slotOf(newest)}`
    : `RPC ${two} says something else than RPC ${one} of slot ${slotOf(newest)}`;
  for (const { rpc } of isBehind ? [other] : [newest, other])
    rpc.standing.failed(READ_ACCOUNTS, isBehind ? 'behind' : 'disagrees', reason);
  return new MeshError('ledger_unavailable', `The RPCs of the ledger disagree, so neither is believed: ${reason}.`);
}
