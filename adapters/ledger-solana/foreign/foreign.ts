import type { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { invalidField, MeshError } from '../../../core/contracts/errors.ts';
import type {
  ForeignEffects,
  ForeignTransaction,
  ForeignTransactions,
  SponsoredPayment,
  SponsoredPaymentTerms,
} from '../../../core/ledger/foreign.ts';
import type { PreparedTransaction, Signer, TransactionLifetime } from '../../../core/ledger/ledger.ts';
import type { Answer } from '../answers.ts';
import { type Account, READ_ACCOUNTS } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { readLifetime } from '../signed-transaction.ts';
import { errorOf } from '../transfer-record.ts';
import { decodeForeign, parseForeign } from './decode.ts';
import { type Changed, effectsOn, touches } from './effects.ts';
import { readSponsored } from './sponsored.ts';

const COMMITMENT = 'confirmed';
/** A rehearsal runs on the newest state, so what it is compared with is read from the newest state. */
const NEWEST = 'processed';
/** How often a transaction is rehearsed while other payments change the wallet's accounts. */
const TRIES = 6;

/** Transactions that somebody else built, by the first node of the ledger: a refusal costs a try, an error no money. */
export class SolanaForeignTransactions implements ForeignTransactions {
  readonly #rpc: JsonRpc;
  readonly #mint: PublicKey;

  constructor(rpc: JsonRpc, mint: PublicKey) {
    this.#rpc = rpc;
    this.#mint = mint;
  }

  async read(bytes: Uint8Array): Promise<ForeignTransaction> {
    const { transaction, keys, writable } = await decodeForeign(this.#rpc, bytes);
    const { message, signatures } = transaction;
    const addresses = keys.map((key) => key.toBase58());
    const options = { commitment: COMMITMENT, encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
    const answer = await this.#rpc.ask(READ_ACCOUNTS, [addresses, options]);
    const found = listOf(answer.at('value'), addresses.length);
    const changed = new Set(writable.map((key) => key.toBase58()));
    const owners = addresses.flatMap((address, index) =>
      changed.has(address) && found[index]!.raw !== null ? [found[index]!.at('owner').address()] : [],
    );
    return {
      version: message.version as 'legacy' | 0,
      feePayer: addresses[0]!,
      signers: signatures.map((signature, index) => ({ address: addresses[index]!, signed: signature.some(Boolean) })),
      instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        program: addresses[programIdIndex]!,
        accounts: accountKeyIndexes.map((index) => addresses[index]!),
        data,
      })),
      programs: addresses.filter((_, index) => found[index]!.raw !== null && isExecutable(found[index]!)),
      owners: [...new Set(owners)],
    };
  }

  sponsored(bytes: Uint8Array, terms: SponsoredPaymentTerms): SponsoredPayment {
    return readSponsored(bytes, this.#mint, terms);
  }

  async rehearse(bytes: Uint8Array, wallet: string): Promise<ForeignEffects> {
    const { writable } = await decodeForeign(this.#rpc, bytes);
    const addresses = writable.map((key) => key.toBase58());
    let before = await this.#accounts(addresses);
    for (let tries = 1; ; tries += 1) {
      const rehearsal = await this.#simulate(bytes, {
        ...{ minContextSlot: before.slot, accounts: { encoding: 'base64', addresses } },
      });
      const value = rehearsal.at('value');
      const error = failureOf(value);
      if (error !== undefined) return { error, lamports: 0n, tokens: new Map(), faults: [] };
      const slot = rehearsal.at('context').at('slot').natural();
      const [then, rehearsed] = [await this.#accounts(addresses, slot), accountsOf(value.at('accounts'), addresses)];
      const between = changesOf(writable, before.accounts, then.accounts);
      // The rehearsal saw what was there before and after it, so the difference is the transaction's own.
      if (!touches(wallet, between)) return effectsOn(wallet, changesOf(writable, before.accounts, rehearsed));
      if (tries === TRIES)
        throw new MeshError(
          'conflict',
          'Other payments change the accounts of this wallet while the transaction is rehearsed; nothing was signed. Call again.',
        );
      before = then;
    }
  }

  async failure(bytes: Uint8Array): Promise<string | undefined> {
    return failureOf((await this.#simulate(bytes, {})).at('value'));
  }

  #simulate(bytes: Uint8Array, more: object): Promise<Answer> {
    const options = { encoding: 'base64', commitment: NEWEST, sigVerify: false, ...more };
    return this.#rpc.ask('simulateTransaction', [Buffer.from(bytes).toString('base64'), options]);
  }

  async #accounts(addresses: readonly string[], atLeast = 0) {
    const options = {
      ...{ commitment: NEWEST, encoding: 'base64' },
      ...(atLeast > 0 && { minContextSlot: atLeast }),
    };
    const answer = await this.#rpc.ask(READ_ACCOUNTS, [addresses, options]);
    const slot = answer.at('context').at('slot').natural();
    return { slot, accounts: accountsOf(answer.at('value'), addresses) };
  }

  async sign(bytes: Uint8Array, signer: Signer): Promise<Uint8Array> {
    const transaction = parseForeign(bytes);
    const { staticAccountKeys, header } = transaction.message;
    const signers = staticAccountKeys.slice(0, header.numRequiredSignatures);
    const key = signers.find((one) => one.toBase58() === signer.address);
    if (!key) throw invalidField('/transaction', `does not ask for the signature of ${signer.address}`);
    transaction.addSignature(key, signer.sign(transaction.message.serialize()));
    return transaction.serialize();
  }

  async prepared(bytes: Uint8Array, builtWith?: TransactionLifetime): Promise<PreparedTransaction> {
    const { signatures, message } = parseForeign(bytes);
    if (!signatures.every((signature) => signature.some(Boolean)))
      throw invalidField('/transaction', 'lacks a signature of somebody else');
    const base64 = Buffer.from(bytes).toString('base64');
    const signature = bs58.encode(signatures[0]!);
    if (builtWith) {
      const { blockhash, lastValidBlockHeight, madeAfter } = builtWith;
      if (message.recentBlockhash !== blockhash) throw invalidField('/lifetime', 'is of another transaction');
      return { signature, bytes: base64, lastValidBlockHeight, madeAfter };
    }
    const valid = await this.#rpc.ask('isBlockhashValid', [message.recentBlockhash, { commitment: COMMITMENT }]);
    if (valid.at('value').raw !== true)
      throw new MeshError('conflict', 'The transaction is too old for the ledger; ask for a new one.');
    // Its blockhash is no newer than the newest one of that slot or later, so it lands no later than that one's last block.
    // Our signature was missing until now, so it cannot have landed before.
    const slot = valid.at('context').at('slot').natural();
    const { lastValidBlockHeight, madeAfter } = await readLifetime(this.#rpc, slot);
    return { signature, bytes: base64, lastValidBlockHeight, madeAfter };
  }

  lifetime(): Promise<TransactionLifetime> {
    return readLifetime(this.#rpc);
  }
}

function failureOf(rehearsed: Answer): string | undefined {
  const error = errorOf(rehearsed);
  return error.isNull ? undefined : JSON.stringify(error.raw).slice(0, 500);
}

function isExecutable(account: Answer): boolean {
  return account.at('executable').raw === true;
}

function listOf(answer: Answer, length: number): Answer[] {
  const list = answer.list();
  if (list.length !== length) throw answer.wrong(`a list of ${length} accounts`);
  return list;
}

function accountsOf(list: Answer, addresses: readonly string[]): (Account | null)[] {
  return listOf(list, addresses.length).map(accountOf);
}

function changesOf(
  addresses: readonly PublicKey[],
  before: readonly (Account | null)[],
  after: readonly (Account | null)[],
): Changed[] {
  return addresses.map((address, index) => ({ address, before: before[index]!, after: after[index]! }));
}

function accountOf(account: Answer): Account | null {
  if (account.raw === null) return null;
  const data = account.at('data').at(0).base64();
  return { lamports: account.at('lamports').lamports(), owner: account.at('owner').address(), data };
}
