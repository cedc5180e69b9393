import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Ledger, Signer } from '../../ledger/ledger.ts';
import type { TransactionState } from '../../ledger/recorded-transactions.ts';
import { statusOf } from '../../ledger/transaction-status.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import { MAX_USDC } from '../../platform/usdc.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { Payment, Transfer } from '../../services.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { HistoryDraft } from '../history/entries.ts';
import type { CountedTransactions } from '../money/counted-transactions.ts';
import { agentOf } from '../requests/addresses.ts';
import { paymentMemo } from './memo.ts';

export interface PluginPaymentsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly counted: CountedTransactions;
  readonly signer: Signer;
  /** The node's: a payment goes on when its caller has left. */
  readonly signal: AbortSignal;
}

type PaymentRecord = SchemaTypes['plugin-payment'];

/** How long a key is remembered, much longer than the outcome of its transaction: it is never paid twice meanwhile. */
const KEPT_MS = 366 * 24 * 3_600_000;
const MAX_MEMO_BYTES = 200;

/** The transfer that a key stands for, by plugin and key. The node writes it before it prepares anything. */
const payments = collection<PaymentRecord>('plugin-payments', { schema: 'plugin-payment', ttl: KEPT_MS });

/** USDC transfers that plugins ask for, each once under a key of the plugin's own. */
export class PluginPayments {
  readonly #options: PluginPaymentsOptions;
  /** The newest work on each key: one at a time, so that a key stands for one transfer. */
  readonly #turns = new OneByOne();

  constructor(options: PluginPaymentsOptions) {
    this.#options = options;
  }

  async transfer(plugin: string, transfer: Transfer, until: 'confirmed' | 'finalised'): Promise<Payment> {
    const wanted = this.#checked(transfer);
    const name = nameOf(plugin, transfer.key);
    return this.#turns.run(name, () => this.#pay(plugin, transfer.key, wanted, until));
  }

  async find(plugin: string, key: string): Promise<Payment | undefined> {
    checkKey(key);
    const name = nameOf(plugin, key);
    const { space, counted } = this.#options;
    const [record, state] = await Promise.all([space.get(payments.ref(name)), counted.find(name)]);
    if (record && state) return paymentOf(key, record, state);
    if (record?.signature !== undefined) throw forgotten(key);
    return undefined;
  }

  async #pay(plugin: string, key: string, wanted: PaymentRecord, until: 'confirmed' | 'finalised'): Promise<Payment> {
    const name = nameOf(plugin, key);
    const { space, counted, ledger, signer, signal } = this.#options;
    const before = await counted.find(name);
    await this.#claim(name, key, wanted, before);
    let underWay = before?.status === 'recorded';
    const { to, memo } = wanted;
    const amount = BigInt(wanted.amount);
    try {
      await counted.carryOut(
        { name, amount, for: { type: 'transfer', partner: to }, entry: { ...entryOf(wanted), source: plugin } },
        () => ledger.prepareUsdcTransfer({ to, amount, memo }, signer),
        signal,
        {
          until,
          async recorded({ signature }) {
            underWay = true;
            await space.tx([], (tx) => tx.put(payments.ref(name), { ...wanted, signature }));
          },
        },
      );
    } catch (error) {
      if (!underWay) {
        await this.#release(name, before);
        throw error;
      }
    }
    return paymentOf(key, wanted, (await counted.find(name))!);
  }

  /** Writes down what the key stands for; throws when it stands for something else. */
  async #claim(name: string, key: string, wanted: PaymentRecord, before: TransactionState | undefined): Promise<void> {
    const ref = payments.ref(name);
    await this.#options.space.tx([ref], (tx) => {
      const known = tx.get(ref);
      const sent = before !== undefined || known?.signature !== undefined;
      if (known && sent && !isSame(known, wanted))
        throw new MeshError('idempotency_mismatch', `The key ${key} was used for another transfer; nothing was sent.`);
      if (known?.signature !== undefined && !before) throw forgotten(key);
      tx.put(ref, { ...wanted, ...(known?.signature !== undefined && { signature: known.signature }) });
    });
  }

  /** Nothing was ever sent under the key: it is free again. */
  async #release(name: string, before: TransactionState | undefined): Promise<void> {
    if (before) return;
    await this.#options.space.tx([], (tx) => tx.del(payments.ref(name)));
  }

  #checked(transfer: Transfer): PaymentRecord {
    if (typeof transfer !== 'object' || transfer === null) throw invalidField('', 'must be a transfer');
    const { key, to, amount, memo = '' } = transfer;
    checkKey(key);
    if (typeof amount !== 'bigint' || amount <= 0n || amount > MAX_USDC)
      throw invalidField('/amount', 'must be a bigint of minor units, from 1n to 2^63 - 1');
    if (typeof to !== 'string') throw invalidField('/to', 'must be the address of a wallet');
    const address = formatAgentId(agentOf(to, '/to'));
    if (address === this.#options.signer.address) throw invalidField('/to', 'is this wallet itself');
    if (typeof memo !== 'string' || !isMemo(memo))
      throw invalidField('/memo', `must be at most ${MAX_MEMO_BYTES} bytes of UTF-8`);
    if (memo.startsWith(paymentMemo('')))
      throw invalidField('/memo', 'is that of the payment of a deal: call pay with its conversation');
    return { to: address, amount: amount.toString(), memo };
  }
}

function entryOf({ to, amount }: PaymentRecord): HistoryDraft {
  return { type: 'transfer', action: 'plugin', direction: 'out', amount, counterparty: to };
}

/** The name that the transaction is recorded and counted under; a plugin's name has no slash. */
function nameOf(plugin: string, key: string): string {
  return `plugin/${plugin}/${key}`;
}

function checkKey(key: unknown): void {
  if (typeof key === 'string' && /^[\x21-\x7e]{1,128}$/.test(key)) return;
  throw invalidField('/key', 'must be 1 to 128 printable ASCII characters');
}

function isMemo(text: string): boolean {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length <= MAX_MEMO_BYTES && bytes.toString('utf8') === text;
}

function isSame(one: PaymentRecord, other: PaymentRecord): boolean {
  return one.to === other.to && one.amount === other.amount && one.memo === other.memo;
}

function paymentOf(key: string, { to, amount, memo }: PaymentRecord, state: TransactionState): Payment {
  const { signature } = state;
  return { key, to, amount: BigInt(amount), memo, signature, ...statusOf(state) };
}

function forgotten(key: string): MeshError {
  const detail = `The payment of the key ${key} ended more than 90 days ago, and its outcome is not kept any more; use another key.`;
  return new MeshError('conflict', detail);
}
