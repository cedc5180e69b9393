import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import type {
  IncomingTransfer,
  LedgerAccounts,
  TransactionRequest,
  TransactionState,
  Transactions,
} from '../../../core/services.ts';
import type { FetchAnswer } from '../../../plugins/billing/settlement/call-json.ts';
import { tokenAccountOf } from '../../../plugins/billing/settlement/solana/addresses.ts';
import { burnMessage } from '../../upstreams/transfer/burn-message.ts';

export const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

const notHere = () => Promise.reject(new Error('not here'));

/** The process dies here. */
export class Killed extends Error {
  override name = 'Killed';
}

interface Sent {
  readonly request: TransactionRequest;
  readonly signature: string;
  status: TransactionState['status'];
}

/** A ledger and an attestation service as the plugin may meet them, by dice; and who holds what there. */
export class World {
  readonly #dice: () => number;
  /** In the wallet, at the deposit addresses, and outside. */
  wallet = 0n;
  readonly deposits = new Map<string, bigint>();
  /** What arrived outside, by withdrawal; more than once would show as twice the amount. */
  readonly paid = new Map<string, bigint>();
  readonly #histories = new Map<string, IncomingTransfer[]>();
  /** Of each token account. */
  readonly #wallets = new Map<string, string>();
  /** Reads of the ledger about deposit addresses. */
  reads = 0;
  readonly #sent = new Map<string, Sent>();
  readonly #burns = new Map<string, TransactionRequest>();
  /** Nothing goes wrong any more. */
  calm = false;
  #count = 0;

  constructor(dice: () => number) {
    this.#dice = dice;
  }

  chance(share: number): boolean {
    return !this.calm && this.#dice() < share;
  }

  deposit(address: string, amount: bigint): string {
    this.#wallets.set(tokenAccountOf(address, MINT), address);
    const signature = `deposit-${this.#count++}`;
    const transfer = { signature, from: 'somebody', amount, memo: null, slot: this.#count };
    this.#histories.set(address, [...(this.#histories.get(address) ?? []), transfer]);
    this.deposits.set(address, (this.deposits.get(address) ?? 0n) + amount);
    return signature;
  }

  /** What was recorded lands, or never does; a landed one becomes final. */
  pass(): void {
    for (const one of this.#sent.values()) {
      if (one.status === 'confirmed' && !this.chance(0.3)) one.status = 'final';
      if (one.status !== 'pending' || this.chance(0.3)) continue;
      if (this.chance(0.3)) one.status = 'failed';
      else this.#land(one);
    }
  }

  readonly ledger: LedgerAccounts = {
    ...{ cluster: 'localnet', usdcMint: MINT, latest: notHere, holdings: notHere, find: notHere },
    get: async (accounts) => {
      this.#faulty();
      this.reads += 1;
      assert.ok(accounts.length <= 100, 'more than one read can give');
      const value = accounts.map((one) => {
        const wallet = this.#wallets.get(one);
        return wallet === undefined
          ? null
          : { lamports: 1n, owner: '', data: tokenData(this.deposits.get(wallet) ?? 0n) };
      });
      return { slot: this.#count, value };
    },
    derive: () => assert.fail('not here'),
    incomingUsdc: async (wallet, after, limit) => {
      this.#faulty();
      this.reads += 1;
      const all = this.#histories.get(wallet) ?? [];
      const begin = all.findIndex(({ signature }) => signature === after) + 1;
      const few = this.chance(0.3) ? 1 : limit;
      const listed = all.slice(begin, begin + few);
      const passedOver = listed.filter(() => this.chance(0.1));
      const transfers = listed.filter((one) => !passedOver.includes(one));
      return { transfers, cursor: listed.at(-1)?.signature ?? after, more: begin + few < all.length, passedOver };
    },
    incomingTransfer: async (wallet, { signature }) => {
      this.#faulty();
      return this.#histories.get(wallet)?.find((one) => one.signature === signature);
    },
    usdc: async () => this.wallet,
    lifetime: async () => {
      this.#faulty();
      const blockhash = bs58.encode(
        createHash('sha256')
          .update(String(this.#count++))
          .digest(),
      );
      return { blockhash, lastValidBlockHeight: 150, madeAfter: 0 };
    },
  };

  readonly transactions: Transactions = {
    ...{ inspect: notHere, sign: notHere, relay: notHere },
    find: async (key) => {
      this.#faulty();
      const found = this.#sent.get(key);
      return (
        found && {
          signature: found.signature,
          status: found.status,
          ...(found.status === 'failed' && { reason: 'expired' }),
        }
      );
    },
    send: async (request) => {
      this.#faulty();
      const before = this.#sent.get(request.key);
      if (before && before.status !== 'failed') throw new Error(`${request.key} was sent twice`);
      if (this.#leaves(request) > this.wallet) throw refused();
      const one: Sent = { request, signature: `tx-${this.#count++}`, status: 'pending' };
      this.#sent.set(request.key, one);
      if (this.chance(0.2)) throw new Killed();
      if (this.chance(0.2)) return { signature: one.signature, status: 'pending' };
      if (this.chance(0.15)) one.status = 'failed';
      else this.#land(one);
      if (this.chance(0.2)) throw new Killed();
      return { signature: one.signature, status: one.status };
    },
  };

  /** The attestation service. */
  async fetch(url: string): Promise<FetchAnswer> {
    const answer = (status: number, body: unknown) => ({ status, text: async () => JSON.stringify(body) });
    if (this.chance(0.2)) return answer(503, {});
    if (url.includes('/fees/'))
      return answer(200, [
        { finalityThreshold: 1_000, minimumFee: 1.3, forwardFee: { low: 1, med: 2, high: 200_000 } },
      ]);
    const signature = new URL(url).searchParams.get('transactionHash')!;
    const request = this.#burns.get(signature);
    if (!request || this.chance(0.3)) return answer(404, { message: 'not found' });
    const { data, keys } = Transaction.from(Buffer.from(request.transaction, 'base64')).instructions[0]!;
    const message = burnMessage(signature, data, keys[10]!.pubkey.toBuffer(), keys[0]!.pubkey.toBuffer(), 150_644n);
    const minted = this.chance(0.4) ? {} : { forwardState: 'COMPLETE', forwardTxHash: '0x11' };
    const shown = { message: `0x${message.toString('hex')}`, attestation: '0x5a', status: 'complete', ...minted };
    return answer(200, { messages: [shown] });
  }

  #faulty(): void {
    if (this.chance(0.05)) throw new Killed();
    if (this.chance(0.05)) throw unavailable();
  }

  #leaves({ key, spend }: TransactionRequest): bigint {
    return key.startsWith('withdraw/') ? spend!.tokens![MINT]! : 0n;
  }

  #land(one: Sent): void {
    const { key, receive } = one.request;
    one.status = 'final';
    if (key.startsWith('sweep/')) {
      const amount = receive!.tokens![MINT]!;
      const address = one.request.cosigners![0]!;
      this.deposits.set(address, this.deposits.get(address)! - amount);
      this.wallet += amount;
      return;
    }
    const id = key.slice('withdraw/'.length);
    const amount = this.#leaves(one.request);
    this.wallet -= amount;
    this.paid.set(id, (this.paid.get(id) ?? 0n) + amount);
    this.#burns.set(one.signature, one.request);
  }
}

function tokenData(amount: bigint): Uint8Array {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  return data;
}

function unavailable(): Error {
  return Object.assign(new Error('the ledger is away'), { name: 'MeshError', code: 'ledger_unavailable' });
}

function refused(): Error {
  return Object.assign(new Error('it would fail'), { name: 'MeshError', code: 'transaction_refused' });
}
