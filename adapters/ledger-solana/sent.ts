import type { PublicKey } from '@solana/web3.js';
import type { OutgoingTransfer, SentQuery, SentUsdc } from '../../core/ledger/ledger.ts';
import type { Answer } from './answers.ts';
import { publicKey } from './holdings.ts';
import { associatedTokenAddress } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { NEWEST_VERSION } from './transaction-reader.ts';
import { transferOut } from './transfer-record.ts';

const PAGE = 1_000;
/** Anybody can name an account in a transaction, so its history is as long as strangers like. */
const MAX_PAGES = 20;
const MAX_READ = 256;
const COMMITMENT = 'finalized';

/**
 * Finds transfers out of an account by their memo, in the histories of all nodes: one may have forgotten a transfer
 * that another still has.
 */
export class Sent {
  readonly #rpcs: readonly JsonRpc[];
  readonly #mint: PublicKey;

  constructor(rpcs: readonly JsonRpc[], mint: PublicKey) {
    this.#rpcs = rpcs;
    this.#mint = mint;
  }

  async find(owner: string, query: SentQuery): Promise<SentUsdc> {
    const account = associatedTokenAddress(publicKey(owner), this.#mint).toBase58();
    const found = await Promise.all(this.#rpcs.map((rpc) => this.#search(rpc, account, query)));
    const transfers = new Map(found.flatMap((one) => one.transfers).map((one) => [one.signature, one]));
    return {
      transfers: [...transfers.values()].sort((one, other) => other.slot - one.slot),
      complete: found.every(({ complete }) => complete),
    };
  }

  async #search(rpc: JsonRpc, account: string, query: SentQuery): Promise<SentUsdc> {
    const { entries, complete } = await list(rpc, account, query);
    const candidates = withMemo(entries, query.memo);
    const transfers: OutgoingTransfer[] = [];
    for (const signature of candidates.slice(0, MAX_READ)) {
      const transfer = await this.#read(rpc, signature, account, query.memo);
      if (transfer) transfers.push(transfer);
    }
    return { transfers, complete: complete && candidates.length <= MAX_READ };
  }

  /** Undefined for a transaction that is no such transfer. This node signs legacy transactions only. */
  async #read(rpc: JsonRpc, signature: string, account: string, memo: string): Promise<OutgoingTransfer | undefined> {
    const options = { commitment: COMMITMENT, encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
    const transaction = await rpc.ask('getTransaction', [signature, options]);
    if (transaction.isNull) throw transaction.wrong('the transaction that was listed');
    if (transaction.at('transaction').at('signatures').at(0).text() !== signature)
      throw transaction.wrong('the transaction that was asked for');
    if (transaction.at('version').raw !== 'legacy') return undefined;
    const transfer = transferOut(transaction, account, this.#mint.toBase58());
    if (transfer?.memo !== memo) return undefined;
    const { to, amount, slot } = transfer;
    return { signature, to, amount, slot };
  }
}

interface Listed {
  readonly entries: readonly Answer[];
  readonly complete: boolean;
}

/** The transactions that succeeded since then, newest first. */
async function list(rpc: JsonRpc, account: string, { since, atLeast }: SentQuery): Promise<Listed> {
  const entries: Answer[] = [];
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = { limit: PAGE, commitment: COMMITMENT, before, ...(atLeast > 0 && { minContextSlot: atLeast }) };
    const listed = (await rpc.ask('getSignaturesForAddress', [account, options])).list();
    for (const entry of listed) {
      const time = entry.at('blockTime');
      if (!time.isNull && time.integer() < since) return { entries, complete: true };
      if (entry.at('err').raw === null) entries.push(entry);
    }
    if (listed.length < PAGE) return { entries, complete: true };
    before = listed.at(-1)!.at('signature').text();
  }
  return { entries, complete: false };
}

/** A node that lists one memo lists all of them. Where no memo is listed at all, each transaction has to be read. */
function withMemo(entries: readonly Answer[], memo: string): string[] {
  const told = entries.some((entry) => !entry.at('memo').isNull);
  return entries
    .filter((entry) => !told || (!entry.at('memo').isNull && entry.at('memo').text().includes(memo)))
    .map((entry) => entry.at('signature').text());
}
