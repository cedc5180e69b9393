import type { PublicKey } from '@solana/web3.js';
import type { SponsoredOutcome, SponsoredSent } from '../../core/ledger/ledger.ts';
import { endsInAccount, readHistory } from './account-history.ts';
import type { Answer } from './answers.ts';
import { publicKey, readAccountsAt } from './holdings.ts';
import { associatedTokenAddress } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { reachesBack, readTip } from './outcomes.ts';
import { NEWEST_VERSION } from './transaction-reader.ts';
import { errorOf } from './transfer-record.ts';

const MAX_READ = 128;

type Level = 'confirmed' | 'finalized';

/** Found in the history; or not, and whether all of it was looked at. */
type Searched = { readonly signature: string; readonly slot: number } | { readonly complete: boolean };

/**
 * Finds out the outcome of a transaction that was handed to somebody else, who signs it first. Its own name on the
 * ledger is therefore not known; this agent's signature is in it all the same, at a place that nobody can change.
 *
 * - `paid` when a node shows a transaction with that signature which did not fail.
 * - `unpaid` when all nodes say that the block height passed at a finalised slot, and the history of the account, read
 *   from each of them at that slot or later and back to before the transaction was made, has none, and ends in what the
 *   account holds: a node that lists an old history beside a new height is thereby found out.
 */
export class SponsoredOutcomes {
  readonly #rpcs: readonly JsonRpc[];
  readonly #mint: PublicKey;

  constructor(rpcs: readonly JsonRpc[], mint: PublicKey) {
    this.#rpcs = rpcs;
    this.#mint = mint;
  }

  async of(owner: string, sent: SponsoredSent): Promise<SponsoredOutcome> {
    // Whatever the seller named, the history decides.
    const told = await this.#told(sent).catch(() => undefined);
    if (told?.finalised) return told;
    const tips = await Promise.all(this.#rpcs.map((rpc) => readTip(rpc)));
    const over = tips.every(({ height }) => height > sent.lastValidBlockHeight);
    const slot = over ? Math.max(...tips.map((tip) => tip.slot)) : 0;
    const account = associatedTokenAddress(publicKey(owner), this.#mint);
    const found = await Promise.all(this.#rpcs.map((rpc) => search(rpc, account, sent, slot)));
    const paid = found.find((one) => 'signature' in one);
    if (paid) return { status: 'paid', ...paid, finalised: true };
    if (told) return told;
    if (!over) return { status: 'pending', lapsed: false };
    const reach = await Promise.all(this.#rpcs.map((rpc) => reachesBack(rpc, sent.madeAfter)));
    const certain = reach.every(Boolean) && found.every((one) => 'complete' in one && one.complete);
    return certain ? { status: 'unpaid', slot } : { status: 'pending', lapsed: true };
  }

  /** The transaction that the sender named, where it is this one. */
  async #told({ told, signature }: SponsoredSent): Promise<Extract<SponsoredOutcome, { status: 'paid' }> | undefined> {
    if (told === undefined) return undefined;
    for (const level of ['finalized', 'confirmed'] as const) {
      const slot = await slotOf(this.#rpcs[0]!, told, signature, level);
      if (typeof slot === 'number') return { status: 'paid', signature: told, slot, finalised: level === 'finalized' };
    }
    return undefined;
  }
}

/** Looks for it in the history; once it can land no more at that slot, also whether the history is whole. */
async function search(rpc: JsonRpc, account: PublicKey, sent: SponsoredSent, over: number): Promise<Searched> {
  const reading = over > 0 ? await readAccountsAt(rpc, [account], 'finalized', over) : undefined;
  const range = { from: sent.madeAfter, atLeast: reading?.slot ?? 0 };
  const history = await readHistory(rpc, account.toBase58(), range);
  const succeeded = history.entries.filter((entry) => errorOf(entry).isNull);
  const told = succeeded.some((entry) => !entry.at('memo').isNull);
  const candidates = succeeded.filter((entry) => !told || hasMemo(entry, sent.memo));
  let read = history.complete && candidates.length <= MAX_READ;
  for (const entry of candidates.slice(0, MAX_READ)) {
    const signature = entry.at('signature').text();
    const slot = await slotOf(rpc, signature, sent.signature, 'finalized');
    if (typeof slot === 'number') return { signature, slot };
    if (slot === 'unread') read = false;
  }
  if (!read || !reading) return { complete: false };
  return { complete: (await endsInAccount(rpc, history, { ...reading, value: reading.value[0] ?? null })) === true };
}

/** A node that lists one memo lists all of them. */
function hasMemo(entry: Answer, memo: string): boolean {
  const listed = entry.at('memo');
  return !listed.isNull && listed.text().includes(memo);
}

/**
 * The slot of a transaction that this agent's signature is in and that did what it should. `unread` where the node shows none or another
 * one: nothing is known of it then.
 */
async function slotOf(
  rpc: JsonRpc,
  signature: string,
  own: string,
  commitment: Level,
): Promise<number | 'unread' | undefined> {
  const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
  const transaction = await rpc.ask('getTransaction', [signature, options]);
  if (transaction.isNull) return 'unread';
  const signatures = transaction.at('transaction').at('signatures').list();
  if (signatures[0]?.text() !== signature) return 'unread';
  if (!signatures.some((one) => one.text() === own)) return undefined;
  return errorOf(transaction.at('meta')).isNull ? transaction.at('slot').natural() : undefined;
}
