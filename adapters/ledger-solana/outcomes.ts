import { isDeepStrictEqual } from 'node:util';
import { type PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { SentTransaction, TransactionOutcome } from '../../core/ledger/ledger.ts';
import type { LedgerRefusal } from '../../core/ledger/refusal.ts';
import { endsInAccount, readHistory } from './account-history.ts';
import { readAccountsAt } from './holdings.ts';
import type { JsonRpc } from './json-rpc.ts';
import { type Landing, readStatus, type SignatureStatus } from './signature-status.ts';

/** A blockhash is good for so many blocks. */
const BLOCKHASH_BLOCKS = 150;
/** A node that reaches back to it has every transaction. */
const FIRST_SLOT = 1;
const PENDING = { status: 'pending' } as const;

/** Translates an error of a transaction, given in base64, into our refusals; undefined for unknown errors. */
export type RefusalOf = (bytes: string, error: unknown) => LedgerRefusal | undefined;

export interface Tip {
  readonly rpc: JsonRpc;
  /** The newest finalised slot, and the block height there. */
  readonly slot: number;
  readonly height: number;
}

/**
 * Finds out the outcome of a transaction, from nodes that may lag, forget and disagree. Every node has to say the same:
 *
 * - `confirmed` as soon as all know it, finalised when all say so; `failed` only when that is finalised.
 * - `expired` when all say that the block height passed at a finalised slot, and each of them, asked after that and
 *   answering from that slot or a later one, knows no such transaction although its history reaches back to before it
 *   was sent. A node that tells an old status beside a new height is thereby found out. Where the bytes are known, the
 *   account that pays the fee speaks as well: whatever landed has changed it, so each node has to list a history of it
 *   that ends in what it holds and lacks the transaction. That finds out a node whose statuses are behind its accounts.
 * - Everything else is `pending`, with `lapsed` once the transaction can land no more.
 */
export class Outcomes {
  readonly #rpcs: readonly JsonRpc[];
  readonly #refusalOf: RefusalOf;

  constructor(rpcs: readonly JsonRpc[], refusalOf: RefusalOf) {
    this.#rpcs = rpcs;
    this.#refusalOf = refusalOf;
  }

  async of(transaction: SentTransaction, signal?: AbortSignal): Promise<TransactionOutcome> {
    const known = await this.#known(transaction, signal);
    if (known) return known;
    const tips = await Promise.all(this.#rpcs.map((rpc) => readTip(rpc, signal)));
    if (tips.some(({ height }) => height <= transaction.lastValidBlockHeight)) return PENDING;
    const slot = Math.max(...tips.map((tip) => tip.slot));
    const doubts = await Promise.all(this.#rpcs.map((rpc) => this.#doubt(rpc, transaction, slot, signal)));
    const doubt = doubts.find((one) => one !== undefined);
    if (doubt === undefined) return { status: 'expired', slot };
    return doubt === 'found' ? PENDING : lapsed(slot, doubt);
  }

  /** The outcome as far as the nodes know it; undefined when none of them knows the transaction. */
  async #known(transaction: SentTransaction, signal?: AbortSignal): Promise<TransactionOutcome | undefined> {
    const statuses = await Promise.all(this.#rpcs.map((rpc) => readStatus(rpc, transaction.signature, signal)));
    const landings = statuses.flatMap(({ landed }) => landed ?? []);
    const [first] = landings;
    if (!first) return undefined;
    if (landings.some(({ level }) => level === 'processed')) return PENDING;
    const finalised = landings.every(({ level }) => level === 'finalized');
    if (landings.some((one) => !isSameLanding(one, first))) return finalised ? disagreement(statuses, first) : PENDING;
    for (const { rpc, context } of statuses.filter(({ landed }) => !landed)) {
      if (context <= first.slot) return PENDING;
      if (!(await reachesBack(rpc, first.slot, signal))) continue;
      return finalised ? disagreement(statuses, first) : PENDING;
    }
    if (first.error === null) return { status: 'confirmed', slot: first.slot, finalised };
    return finalised ? this.#failed(transaction, first.error) : PENDING;
  }

  /** Why this node does not prove that the transaction never landed before the slot. */
  async #doubt(
    rpc: JsonRpc,
    transaction: SentTransaction,
    slot: number,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { signature, lastValidBlockHeight, madeAfter } = transaction;
    const { context, landed } = await readStatus(rpc, signature, signal);
    const { ordinal } = rpc.standing;
    if (landed) return 'found';
    if (context < slot) {
      const reason = `it tells the status as of slot ${context}, and the block height passed at slot ${slot}`;
      rpc.standing.failed('getSignatureStatuses', 'behind', reason);
      return `RPC ${ordinal} lags behind (${reason}); this mends itself when it has caught up`;
    }
    // No record tells when transactions of earlier versions were made; a slot is never less than the height there.
    const from = madeAfter ?? Math.max(0, lastValidBlockHeight - BLOCKHASH_BLOCKS);
    if (await reachesBack(rpc, from + 1, signal)) return this.#contradiction(rpc, transaction, { from, slot }, signal);
    return `the history of RPC ${ordinal} begins after the transaction was sent; use an RPC whose history reaches back to slot ${from}`;
  }

  /** Why the account that pays the fee does not bear out that the transaction never landed. */
  async #contradiction(
    rpc: JsonRpc,
    { signature, bytes }: SentTransaction,
    { from, slot }: { readonly from: number; readonly slot: number },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (!bytes) return undefined;
    const payer = feePayerOf(bytes);
    const { ordinal } = rpc.standing;
    const reading = await readAccountsAt(rpc, [payer], 'finalized', slot);
    const history = await readHistory(rpc, payer.toBase58(), { from, atLeast: reading.slot });
    if (history.entries.some((entry) => entry.at('signature').text() === signature)) {
      rpc.standing.failed('getSignatureStatuses', 'behind', `it lists ${signature} and knows no status of it`);
      return `RPC ${ordinal} lists the transaction and knows no status of it; this mends itself when it has caught up`;
    }
    // Of a crowded history nothing can be said.
    if (!history.complete) return undefined;
    const account = reading.value[0] ?? null;
    const ends = await endsInAccount(rpc, history, { ...reading, value: account });
    if (ends === true) return undefined;
    // A node that has no history from before some slot lists nothing of an account that has rested since.
    if (ends === undefined && (account === null || !(await reachesBack(rpc, FIRST_SLOT, signal)))) return undefined;
    const reason = `the history that it lists does not end in what ${payer.toBase58()} holds at slot ${reading.slot}`;
    rpc.standing.failed('getSignaturesForAddress', 'behind', reason);
    return `RPC ${ordinal} lags behind (${reason}); this mends itself when it has caught up`;
  }

  /** The code is the name of Solana's `TransactionError`, the detail its JSON. */
  #failed({ bytes }: SentTransaction, error: unknown): TransactionOutcome {
    const code = typeof error === 'string' ? error : (Object.keys(Object(error))[0] ?? 'Unknown');
    const refusal = bytes === undefined ? undefined : this.#refusalOf(bytes, error);
    return { status: 'failed', code, detail: JSON.stringify(error).slice(0, 500), ...(refusal && { refusal }) };
  }
}

export async function readTip(rpc: JsonRpc, signal?: AbortSignal): Promise<Tip> {
  const info = await rpc.ask('getEpochInfo', [{ commitment: 'finalized' }], signal);
  return { rpc, slot: info.at('absoluteSlot').natural(), height: info.at('blockHeight').natural() };
}

export async function reachesBack(rpc: JsonRpc, slot: number, signal?: AbortSignal): Promise<boolean> {
  return (await rpc.ask('getFirstAvailableBlock', [], signal)).natural() <= slot;
}

function feePayerOf(bytes: string): PublicKey {
  return VersionedTransaction.deserialize(Buffer.from(bytes, 'base64')).message.staticAccountKeys[0]!;
}

function isSameLanding(one: Landing, other: Landing): boolean {
  return one.slot === other.slot && isDeepStrictEqual(one.error, other.error);
}

function disagreement(statuses: readonly SignatureStatus[], { slot }: Landing): TransactionOutcome {
  for (const { rpc } of statuses) rpc.standing.failed('getSignatureStatuses', 'disagrees', `of slot ${slot}`);
  return lapsed(slot, `the RPCs of the ledger disagree about slot ${slot}; see which of them is right`);
}

function lapsed(slot: number, reason: string): TransactionOutcome {
  return { status: 'pending', lapsed: { slot, reason } };
}
