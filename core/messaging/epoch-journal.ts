import { MeshError } from '../contracts/errors.ts';
import { fromHex, toHex } from '../platform/bytes.ts';
import type { Clock } from '../platform/clock.ts';
import { epochOf, MAX_SEQ, nonceOf, seqOfNonce } from '../protocol/envelopes/epochs.ts';
import type { Found } from '../storage/pages.ts';
import type { Space } from '../storage/space.ts';
import { isSilent, KEPT_EPOCHS, type NonceState, type Taint, taintOf } from './nonces.ts';
import { type OutboxEntry, receiptBytes } from './outbox-entry.ts';
import { nonces, outbox } from './records.ts';

/**
 * open: signed in now, or may still be.
 * complete: closed, and the journal holds everything the key has signed in it. Only such an epoch may be batched.
 * submitted: its batch, or that of a later epoch, was submitted.
 * tainted: the key signed something in it that the journal does not hold. Never batched, closed or not.
 * forgotten: more than KEPT_EPOCHS old; what was signed in it may have been forgotten.
 */
export type EpochState = 'open' | 'complete' | 'submitted' | 'tainted' | 'forgotten';

export interface EpochView {
  readonly epoch: number;
  readonly state: EpochState;
  /** The highest sequence number signed; 0 when nothing was. */
  readonly count: number;
  /** A sentence, for tainted epochs. */
  readonly why?: string;
}

/** One envelope of a behavior batch: the leaf at index `seq − 1`. */
export interface Leaf {
  readonly seq: number;
  /** The envelope id, 32 bytes. */
  readonly id: Uint8Array;
}

export interface EpochJournalOptions {
  /** The space of the node. */
  readonly space: Space;
  /** The signing key in base58. */
  readonly address: string;
  readonly epochSecs: number;
  readonly clock: Clock;
}

/** Sequence numbers that are left out once an epoch is tainted: room for what a forgotten process signed. */
export const JUMP = 65_536;
const BATCH = 500;

/**
 * The signed envelopes of the node's own key by epoch and sequence number, and which epochs are over. Everything here
 * is durable before it is answered, and ordered with the transactions that sign.
 */
export class EpochJournal {
  readonly #options: EpochJournalOptions;

  constructor(options: EpochJournalOptions) {
    this.#options = options;
  }

  /** The epoch it is now by the clock of this machine. */
  get current(): number {
    return this.epochAt(this.#options.clock.now());
  }

  /** The epoch of a moment in Unix milliseconds. */
  epochAt(now: number): number {
    return epochOf(now * 1_000, this.#options.epochSecs);
  }

  /** The last epoch in which something was signed; undefined when nothing ever was. */
  async lastSigned(): Promise<number | undefined> {
    const state = await this.#options.space.get(nonces.ref(this.#options.address));
    return state && state.seq > 0 ? state.epoch : undefined;
  }

  async view(epoch: number): Promise<EpochView> {
    const { space, address } = this.#options;
    const [state, last] = await Promise.all([space.get(nonces.ref(address)), this.#last(epoch)]);
    const why = taintOf(state, epoch)?.why;
    return {
      epoch,
      state: stateOf(state, epoch, this.current),
      count: last ? seqOfNonce(last.value.nonce) : 0,
      ...(why !== undefined && { why }),
    };
  }

  /** The ids of an epoch in the order of their sequence numbers. Only a tainted epoch has gaps. */
  async *leaves(epoch: number): AsyncGenerator<Leaf, void> {
    const { space, address } = this.#options;
    for (let after: Found<OutboxEntry> | undefined; ; ) {
      const rows = await space.page(outbox, { index: 'epoch', ...rangeOf(address, epoch), limit: BATCH, after });
      for (const { id, value } of rows) yield { seq: seqOfNonce(value.nonce), id: fromHex(id, 32)! };
      if (rows.length < BATCH) return;
      after = rows.at(-1);
    }
  }

  /** Header and signature, encoded as a receipt, of an envelope signed within the last KEPT_EPOCHS epochs. */
  async receiptAt(epoch: number, seq: number): Promise<Uint8Array | undefined> {
    if (!(Number.isInteger(seq) && seq >= 1 && seq <= MAX_SEQ)) return undefined;
    const entry = await this.#entryAt(nonceOf(epoch, seq));
    return entry && receiptBytes(entry.value);
  }

  /** Whether this envelope stands in the journal under this nonce. */
  async holds(nonce: number, id: Uint8Array): Promise<boolean> {
    return (await this.#entryAt(nonce))?.id === toHex(id);
  }

  /**
   * From now on nothing is signed in this epoch or before. Again is harmless. Throws `conflict` while the epoch lasts.
   */
  async close(epoch: number): Promise<EpochView> {
    await this.#change((state, now) => {
      if (epoch >= this.epochAt(now)) throw new MeshError('conflict', `Epoch ${epoch} is not over.`);
      return { ...state, closed: Math.max(state.closed ?? 0, epoch) };
    });
    return this.view(epoch);
  }

  /** Notes that the batch of this epoch is on the ledger. Closes it, too. */
  async submitted(epoch: number): Promise<void> {
    await this.#change((state) => ({
      ...state,
      closed: Math.max(state.closed ?? 0, epoch),
      submitted: Math.max(state.submitted ?? 0, epoch),
    }));
  }

  /**
   * The key signed something in this epoch that the journal does not hold: the epoch is never batched, and if it is
   * signed in again, then with sequence numbers at least JUMP higher. A number beyond those left out (`seen`) shows that
   * somebody signs now: while the epoch lasts, nothing is signed in it any more. A submitted epoch stays as it is.
   * `used` is the last number known to be used elsewhere by ourselves: the jump begins there.
   */
  async taint(epoch: number, why: string, seen = 0, used = 0): Promise<Taint | undefined> {
    const journaled = seqOfNonce((await this.#last(epoch))?.value.nonce ?? 0);
    const state = await this.#change((before, now) => {
      const known = taintOf(before, epoch);
      const last = before.epoch === epoch ? before.seq : journaled;
      const jumped = Math.min(MAX_SEQ, Math.max(last, used) + JUMP);
      const above = used > 0 ? Math.max(known?.above ?? 0, jumped) : (known?.above ?? jumped);
      const goesOn = epoch >= this.epochAt(now);
      const taint: Taint = {
        epoch,
        above,
        stopped: (known?.stopped ?? false) || (goesOn && seen > above),
        why: (known?.why ?? why).slice(0, 300),
        at: known?.at ?? now,
      };
      if (isSubmitted(before, epoch) || (known?.stopped === taint.stopped && known.above === above)) return undefined;
      const oldest = this.epochAt(now) - KEPT_EPOCHS;
      const others = (before.tainted ?? []).filter((other) => other.epoch !== epoch && other.epoch >= oldest);
      return { ...before, tainted: [...others, taint].sort((a, b) => a.epoch - b.epoch).slice(-MOST_TAINTS) };
    });
    return taintOf(state, epoch);
  }

  /** The tainted epochs that are still remembered, oldest first. */
  async taints(): Promise<readonly Taint[]> {
    const state = await this.#options.space.get(nonces.ref(this.#options.address));
    return state?.tainted ?? [];
  }

  async #change(change: (before: NonceState, now: number) => NonceState | undefined): Promise<NonceState> {
    const ref = nonces.ref(this.#options.address);
    const { value } = await this.#options.space.tx([ref], (tx) => {
      const before = tx.get(ref) ?? { epoch: 0, seq: 0 };
      const after = change(before, tx.now);
      if (after) tx.put(ref, after);
      return after ?? before;
    });
    return value;
  }

  async #last(epoch: number): Promise<Found<OutboxEntry> | undefined> {
    const { space, address } = this.#options;
    const query = { index: 'epoch', ...rangeOf(address, epoch), reverse: true, limit: 1 } as const;
    return (await space.page(outbox, query))[0];
  }

  async #entryAt(nonce: number): Promise<Found<OutboxEntry> | undefined> {
    const { space, address } = this.#options;
    return (await space.page(outbox, { index: 'epoch', prefix: [address, nonce], limit: 1 }))[0];
  }
}

const MOST_TAINTS = 16;

function stateOf(state: NonceState | undefined, epoch: number, current: number): EpochState {
  if (taintOf(state, epoch)) return 'tainted';
  if (isSubmitted(state, epoch)) return 'submitted';
  if (epoch < current - KEPT_EPOCHS && !(state && isSilent(state, epoch))) return 'forgotten';
  return state?.closed !== undefined && epoch <= state.closed ? 'complete' : 'open';
}

function isSubmitted(state: NonceState | undefined, epoch: number): boolean {
  return state?.submitted !== undefined && epoch <= state.submitted;
}

function rangeOf(address: string, epoch: number) {
  return { prefix: [address], from: [nonceOf(epoch, 1)], to: [nonceOf(epoch, MAX_SEQ) + 1] };
}
