import type { Settlement } from '../../ledger/settlement.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { HASH_LENGTH } from '../../protocol/batches/merkle.ts';
import type { AccusationAccount, AgentAccount } from '../../protocol/settlement/accounts.ts';
import { leafListRef } from '../store/leaves.ts';
import { type LeafParts, readLeaves } from './keeping.ts';

export interface SearchParts extends LeafParts {
  readonly settlement: Settlement;
  readonly clock: Clock;
}

/** The agent account as it was at a finalised slot. */
export interface AgentReading {
  readonly agent: AgentAccount;
  readonly slot: number;
}

interface Progress {
  /** Open accusations when the search began. */
  readonly open: number;
  /** Epochs that are searched, and from where in their leaves; newest first. */
  readonly left: readonly { readonly epoch: number; readonly leaf: number }[];
  /** When it ended; undefined while it goes on. */
  readonly ended: number | undefined;
}

const AT_ONCE = 100;
/** Leaves looked up in one run, of all keys together: 20 calls. */
const MOST_LEAVES = 2_000;
/** A search that found too little begins again after this share of the time to answer. */
const REST = 20;
const MAX_SEARCHES = 1_000;

/**
 * Finds accusations that no event told of. The address of an accusation follows from the accused id, which is a leaf of a
 * batch: so every leaf of the lists kept here that can be accused is looked up, newest batch first, some in each run.
 */
export class AccusationSearch {
  readonly #parts: SearchParts;
  readonly #searches = new BoundedMap<string, Progress>(MAX_SEARCHES);
  #room = 0;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** Begins a run: what may be looked up in it is bounded. */
  begin(): void {
    this.#room = MOST_LEAVES;
  }

  /** Whether a search could find something now. */
  isDue(key: string, open: number): boolean {
    const known = this.#searches.get(key);
    if (!known || known.ended === undefined || open > known.open) return this.#room > 0;
    const { clock, settlement } = this.#parts;
    const since = clock.now() - known.ended;
    return this.#room > 0 && (since < 0 || since >= (settlement.numbers.responseSecs * 1000) / REST);
  }

  /** One step; `known` are the ids that need not be looked up. */
  async step(
    key: string,
    { agent, slot }: AgentReading,
    known: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly AccusationAccount[]> {
    if (!this.isDue(key, agent.open)) return [];
    const before = this.#searches.get(key);
    const goesOn = before?.ended === undefined && before?.open === agent.open;
    let left = goesOn ? [...before!.left] : accusable(agent).map((epoch) => ({ epoch, leaf: 0 }));
    const found: AccusationAccount[] = [];
    while (left.length > 0 && this.#room > 0 && !signal.aborted) {
      const [{ epoch, leaf }, ...rest] = left as [Progress['left'][number], ...Progress['left']];
      const leaves = await this.#leavesOf(key, epoch, agent);
      const end = Math.min(leaf + this.#room, leaves.length / HASH_LENGTH);
      for (let from = leaf; from < end; from += AT_ONCE) {
        found.push(...(await this.#lookUp(key, idsOf(leaves, from, Math.min(from + AT_ONCE, end)), known, slot)));
      }
      this.#room -= Math.max(0, end - leaf);
      left = end * HASH_LENGTH < leaves.length ? [{ epoch, leaf: end }, ...rest] : rest;
    }
    const ended = left.length === 0 ? this.#parts.clock.now() : undefined;
    this.#searches.set(key, { open: agent.open, left, ended });
    return found;
  }

  /** The leaves that the ledger's root confirms; none when they are not kept here. */
  async #leavesOf(key: string, epoch: number, agent: AgentAccount): Promise<Uint8Array> {
    const { space, blobs } = this.#parts;
    const list = await space.get(leafListRef(key, epoch));
    const root = agent.batches.find((batch) => batch.epoch === epoch)?.root;
    const leaves = list && list.root === root ? await readLeaves(blobs, list) : undefined;
    return leaves ?? new Uint8Array(0);
  }

  async #lookUp(
    key: string,
    ids: readonly string[],
    known: ReadonlySet<string>,
    slot: number,
  ): Promise<readonly AccusationAccount[]> {
    const names = ids.filter((id) => !known.has(id)).map((id) => ({ key, id }));
    if (names.length === 0) return [];
    const { value } = await this.#parts.settlement.accusations(names, slot);
    return value.filter((account) => account !== undefined);
  }
}

/** Epochs whose batches can be accused, newest first. */
function accusable({ batches, settledEpoch }: AgentAccount): readonly number[] {
  const open = batches.filter(({ epoch, count }) => epoch > settledEpoch && count > 0);
  return open.map(({ epoch }) => epoch).sort((one, other) => other - one);
}

/** The ids at these leaves; a number that was not signed has no leaf. */
function idsOf(leaves: Uint8Array, from: number, to: number): readonly string[] {
  const ids = Array.from({ length: to - from }, (_, at) =>
    toHex(leaves.subarray((from + at) * HASH_LENGTH, (from + at + 1) * HASH_LENGTH)),
  );
  return ids.filter((id) => !/^0+$/.test(id));
}
