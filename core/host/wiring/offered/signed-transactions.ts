import { createHash } from 'node:crypto';
import { invalidField, MeshError } from '../../../contracts/errors.ts';
import { type ForeignRules, isGuarded, refusalsOf, relayRefusalsOf } from '../../../ledger/foreign-terms.ts';
import type { Ledger, PreparedTransaction, Signer } from '../../../ledger/ledger.ts';
import type { RecordedTransactions } from '../../../ledger/recorded-transactions.ts';
import type { CarryOutOptions } from '../../../ledger/step-done.ts';
import { statusOf } from '../../../ledger/transaction-status.ts';
import { draftOf } from '../../../node/history/draft.ts';
import type { HistoryDraft } from '../../../node/history/entries.ts';
import type { CountedTransactions } from '../../../node/money/counted-transactions.ts';
import type { Asker } from '../../../provider.ts';
import type {
  RelayRequest,
  TransactionReport,
  TransactionRequest,
  TransactionState,
  Transactions,
  TransactionTerms,
  WalletAmounts,
} from '../../../services.ts';
import { collection } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';
import type { AwaitedEntries } from './awaited-entries.ts';
import { countSol, type SolCaps } from './sol-caps.ts';

export interface SignedTransactionsOptions {
  readonly ledger: Ledger;
  readonly recorded: RecordedTransactions;
  /** Counts USDC against the caps of a node; an aggregator has none. */
  readonly counted: CountedTransactions | undefined;
  /** Where what was done is told; an aggregator has no history. */
  readonly entries: AwaitedEntries | undefined;
  readonly space: Space;
  readonly caps: SolCaps;
  readonly signer: Signer;
  readonly now: () => number;
  /** The process's: a transaction goes on when its caller has left. */
  readonly signal: AbortSignal;
}

/** A step with its bytes, and what the history tells of it once it is final. */
interface Step {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly until: 'confirmed' | 'final';
  readonly draft: HistoryDraft | undefined;
}

interface Claim {
  readonly name: string;
  readonly key: string;
  readonly draft: HistoryDraft | undefined;
}

/** How long it is remembered what a key stands for: longer than the outcome of its transaction. */
const KEPT_MS = 366 * 24 * 3_600_000;
const MAX_TEXT = 2_000;
/** A message lands within minutes or never. */
const MESSAGE_MS = 24 * 3_600_000;

/** The message that a key of a plugin stands for, by its hash. It is written before anything is signed. */
const claims = collection<{ readonly message: string }>('signed-transactions', {
  schema: () => [],
  ttl: KEPT_MS,
});
/** The name that sent a message: one message is one transaction, so it cannot stand for two steps. */
const messages = collection<{ readonly name: string }>('signed-messages', { schema: () => [], ttl: MESSAGE_MS });

/** The service for one plugin. */
export class SignedTransactions implements Transactions {
  readonly #options: SignedTransactionsOptions;
  readonly #asker: Asker;

  constructor(options: SignedTransactionsOptions, asker: Asker) {
    this.#options = options;
    this.#asker = asker;
  }

  async inspect(transaction: string, terms: TransactionTerms = {}): Promise<TransactionReport> {
    return this.#inspect(bytesOf(transaction), terms);
  }

  async sign(request: TransactionRequest): Promise<string> {
    const { bytes, terms } = checked(request);
    const report = await this.#checked(bytes, terms);
    const usdc = report.tokens[this.#options.ledger.cluster.usdcMint] ?? 0n;
    if (usdc < 0n)
      throw new MeshError(
        'transaction_refused',
        'It takes USDC, which leaves this wallet only where it can be followed.',
      );
    await countSol(this.#options.space, this.#options.caps, -report.lamports);
    const { ledger, signer } = this.#options;
    return Buffer.from(await ledger.foreign.sign(bytes, signer)).toString('base64');
  }

  async send(
    request: TransactionRequest,
    { until = 'confirmed' }: { readonly until?: 'confirmed' | 'final' } = {},
  ): Promise<TransactionState> {
    const { bytes, terms, key } = checked(request);
    const { ledger, recorded, counted, signal } = this.#options;
    const usdc = terms.spend?.tokens?.[ledger.cluster.usdcMint] ?? 0n;
    const draft = request.entry && { ...draftOf(request.entry), source: this.#asker.name };
    return this.#once(
      { key, bytes, until, draft },
      () => this.#prepare(bytes, terms),
      async (name, prepare, options) => {
        if (counted && usdc > 0n)
          await counted.carryOut({ name, amount: usdc, for: { type: 'transaction' } }, prepare, signal, options);
        else await recorded.carryOut(name, prepare, signal, options);
      },
    );
  }

  async relay(request: RelayRequest): Promise<TransactionState> {
    if (typeof request !== 'object' || request === null) throw invalidField('', 'must be a request');
    const { key, transaction, lifetime } = request;
    checkKey(key);
    const bytes = bytesOf(transaction);
    const { ledger, recorded, signal } = this.#options;
    const build = async () => {
      const read = await ledger.foreign.read(bytes);
      requireNone(relayRefusalsOf(read, await ledger.foreign.failure(bytes), this.#rules()), 'sent');
      return ledger.foreign.prepared(bytes, lifetime);
    };
    return this.#once({ key, bytes, until: 'confirmed', draft: undefined }, build, async (name, prepare, options) => {
      await recorded.carryOut(name, prepare, signal, options);
    });
  }

  async #once(
    { key, bytes, until, draft }: Step,
    build: () => Promise<PreparedTransaction>,
    carryOut: (name: string, prepare: () => Promise<PreparedTransaction>, options: CarryOutOptions) => Promise<void>,
  ): Promise<TransactionState> {
    const { recorded, entries, now } = this.#options;
    const name = this.#name(key);
    const message = await this.#claim({ name, key, draft }, bytes);
    let underWay = (await recorded.find(name))?.status === 'recorded';
    let made = false;
    const prepare = async () => {
      if (made)
        throw new MeshError(
          'conflict',
          'The ledger did not take the transaction in time; nothing was changed. Ask for a new one.',
        );
      made = true;
      return build();
    };
    const options = {
      until: until === 'final' ? ('finalised' as const) : ('confirmed' as const),
      recorded: async () => {
        underWay = true;
      },
    };
    try {
      await carryOut(name, prepare, options);
    } catch (error) {
      if (!underWay) {
        await this.#options.space.tx([], (tx) => {
          tx.del(messages.ref(message));
          entries?.forget(tx, name);
        });
        throw error;
      }
    }
    await entries?.settleOne(name, now()).catch(() => undefined);
    return (await this.find(key))!;
  }

  async find(key: string): Promise<TransactionState | undefined> {
    checkKey(key);
    const state = await this.#options.recorded.find(this.#name(key));
    return state && { signature: state.signature, ...statusOf(state) };
  }

  async #prepare(bytes: Uint8Array, terms: TransactionTerms): Promise<PreparedTransaction> {
    const { ledger, signer, space, caps } = this.#options;
    const { lamports } = await this.#checked(bytes, terms);
    await countSol(space, caps, -lamports);
    return ledger.foreign.prepared(await ledger.foreign.sign(bytes, signer));
  }

  async #checked(bytes: Uint8Array, terms: TransactionTerms): Promise<TransactionReport> {
    const report = await this.#inspect(bytes, terms);
    requireNone(report.refusals, 'signed');
    return report;
  }

  async #inspect(bytes: Uint8Array, terms: TransactionTerms): Promise<TransactionReport> {
    const { ledger, signer } = this.#options;
    const wallet = signer.address;
    const transaction = await ledger.foreign.read(bytes);
    const effects = await ledger.foreign.rehearse(bytes, wallet);
    return {
      feePayer: transaction.feePayer,
      signers: transaction.signers,
      programs: transaction.programs,
      lamports: effects.lamports,
      tokens: Object.fromEntries(effects.tokens),
      refusals: refusalsOf(transaction, effects, terms, this.#rules()),
    };
  }

  #rules(): ForeignRules {
    const { ledger, signer } = this.#options;
    const settlement = ledger.settlement?.deployment.programId;
    return { wallet: signer.address, ...(settlement && { settlement }), may: (program) => this.#may(program) };
  }

  #may(program: string): boolean {
    const permission = `money:sign:${program}`;
    return isGuarded(program) ? this.#asker.named(permission) : this.#asker.may(permission);
  }

  /** Writes down the message that the key stands for, and gives its hash; throws when it stands for another one that may land. */
  async #claim({ name, key, draft }: Claim, bytes: Uint8Array): Promise<string> {
    const { space, recorded, entries } = this.#options;
    const before = await recorded.find(name);
    const ended = before === undefined || before.status === 'failed' || before.status === 'expired';
    const ref = claims.ref(name);
    const message = createHash('sha256').update(withoutSignatures(bytes)).digest('hex');
    const own = messages.ref(message);
    await space.tx([ref, own], (tx) => {
      const known = tx.get(ref);
      if (known && known.message !== message && !ended)
        throw new MeshError(
          'idempotency_mismatch',
          `The key ${key} was used for another transaction; nothing was sent.`,
        );
      const sender = tx.get(own)?.name ?? name;
      if (sender !== name)
        throw new MeshError('conflict', 'This very transaction was sent for another step; ask for a new one.');
      tx.put(ref, { message });
      tx.put(own, { name });
      if (draft) entries?.keep(tx, name, { name: `plugin/${this.#asker.name}/${key}`, draft });
    });
    return message;
  }

  #name(key: string): string {
    return `signed/${this.#asker.name}/${key}`;
  }
}

function requireNone(refusals: readonly string[], done: 'signed' | 'sent'): void {
  if (refusals.length === 0) return;
  const detail = `It was not ${done}: it ${refusals.join('; it ')}.`;
  throw new MeshError('transaction_refused', { detail, extra: { refusals } });
}

/** The message alone: the same transaction before and after somebody signed it. */
function withoutSignatures(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(1 + 64 * (bytes[0] ?? 0));
}

function checked(request: TransactionRequest): { bytes: Uint8Array; terms: TransactionTerms; key: string } {
  if (typeof request !== 'object' || request === null) throw invalidField('', 'must be a request');
  const { key, transaction, entry: _, ...terms } = request;
  checkKey(key);
  checkAmounts(terms.spend, '/spend');
  checkAmounts(terms.receive, '/receive');
  return { bytes: bytesOf(transaction), terms, key };
}

function bytesOf(transaction: unknown): Uint8Array {
  if (typeof transaction !== 'string' || transaction.length > MAX_TEXT)
    throw invalidField('/transaction', 'must be base64 of at most 1,232 bytes');
  const bytes = Buffer.from(transaction, 'base64');
  if (bytes.toString('base64') !== transaction) throw invalidField('/transaction', 'must be base64');
  return new Uint8Array(bytes);
}

function checkKey(key: unknown): void {
  if (typeof key === 'string' && /^[\x21-\x7e]{1,128}$/.test(key)) return;
  throw invalidField('/key', 'must be 1 to 128 printable ASCII characters');
}

function checkAmounts({ lamports = 0n, tokens = {} }: WalletAmounts = {}, pointer: string): void {
  for (const [name, amount] of [['lamports', lamports] as const, ...Object.entries(tokens)])
    if (typeof amount !== 'bigint' || amount < 0n)
      throw invalidField(`${pointer}/${name}`, 'must be a bigint of minor units that is not negative');
}
