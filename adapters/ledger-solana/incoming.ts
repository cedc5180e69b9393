import type { PublicKey } from '@solana/web3.js';
import { MeshError } from '../../core/errors.ts';
import type { IncomingTransfer } from '../../core/ledger/ledger.ts';
import { Answer } from './answers.ts';
import { base58Bytes, publicKey } from './holdings.ts';
import { associatedTokenAddress } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { transferIn } from './transfer-record.ts';

const PAGE = 1_000;
const MAX_PAGES = 50;
const MAX_LIMIT = 1_000;
const MAX_REMEMBERED = 256;
const COMMITMENT = 'finalized';

/**
 * Reads transfers into a USDC account. Anyone can put transactions that are no transfers into the history of an
 * account; how far these were read already is remembered, so that they are not read again every time.
 */
export class Incoming {
  readonly #rpc: JsonRpc;
  readonly #mint: PublicKey;
  readonly #read = new Map<string, { readonly after: string | undefined; readonly upTo: string }>();

  constructor(rpc: JsonRpc, mint: PublicKey) {
    this.#rpc = rpc;
    this.#mint = mint;
  }

  async list(owner: string, after: string | undefined, limit: number): Promise<IncomingTransfer[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new MeshError('invalid_request', `The limit must be from 1 to ${MAX_LIMIT}.`);
    }
    if (after !== undefined && base58Bytes(after.slice(0, 100)).length !== 64) {
      throw new MeshError('invalid_request', 'The cursor must be a transaction signature.');
    }
    const account = associatedTokenAddress(publicKey(owner), this.#mint).toBase58();
    const read = this.#read.get(account);
    const signatures = await this.#signatures(account, read && read.after === after ? read.upTo : after);
    const transfers: IncomingTransfer[] = [];
    for (const signature of signatures) {
      const transfer = await this.#transfer(signature, account);
      if (transfer) transfers.push(transfer);
      else if (transfers.length === 0) this.#remember(account, after, signature);
      if (transfers.length === limit) break;
    }
    return transfers;
  }

  /** Signatures of transactions that succeeded, oldest first. The ledger gives them newest first only. */
  async #signatures(account: string, until: string | undefined): Promise<string[]> {
    const signatures: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const options = { limit: PAGE, commitment: COMMITMENT, before, until };
      const entries = new Answer(
        await this.#rpc.call('getSignaturesForAddress', [account, options]),
        'getSignaturesForAddress',
      ).list();
      for (const entry of entries) if (entry.at('err').isNull) signatures.push(entry.at('signature').text());
      if (entries.length < PAGE) return signatures.reverse();
      before = entries.at(-1)!.at('signature').text();
    }
    throw new MeshError('ledger_unavailable', `More than ${PAGE * MAX_PAGES} transactions wait behind the cursor.`);
  }

  async #transfer(signature: string, account: string): Promise<IncomingTransfer | undefined> {
    const options = { commitment: COMMITMENT, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const transaction = new Answer(await this.#rpc.call('getTransaction', [signature, options]), 'getTransaction');
    if (transaction.isNull) throw new MeshError('ledger_unavailable', `The ledger lists ${signature} but lacks it.`);
    const transfer = transferIn(transaction, account, this.#mint.toBase58());
    return transfer && { signature, ...transfer };
  }

  #remember(account: string, after: string | undefined, upTo: string): void {
    this.#read.delete(account);
    if (this.#read.size >= MAX_REMEMBERED) this.#read.delete(this.#read.keys().next().value!);
    this.#read.set(account, { after, upTo });
  }
}
