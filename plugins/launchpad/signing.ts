import { isMeshError, type Log, MeshError } from '../../core/plugin.ts';
import type {
  Clock,
  LedgerAccounts,
  Self,
  TransactionEntry,
  TransactionReport,
  TransactionRequest,
  TransactionState,
  Transactions,
} from '../../core/services.ts';

export interface SigningOptions {
  readonly transactions: Transactions;
  readonly accounts: LedgerAccounts;
  readonly self: Self;
  readonly clock: Clock;
  readonly log: Log;
  /** Programs of the launchpad that a transaction may call. */
  readonly programs: readonly string[];
}

/** The ledger's own for SOL, tokens and memos; their effects show in what is rehearsed. */
const PLAIN = [
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];
const LOOK_AGAIN_MS = 500;
const LOOKS = 60;

/** Writes down what is about to be sent, by its rehearsal, and says what the history tells of it. */
export type Recorded = (report: TransactionReport) => Promise<TransactionEntry>;

/** Has transactions that the launchpad built checked, signed and sent. */
export class Signing {
  readonly #options: SigningOptions;
  readonly #programs: ReadonlySet<string>;

  constructor(options: SigningOptions) {
    this.#options = options;
    this.#programs = new Set([...PLAIN, ...options.programs]);
  }

  /** Nothing is sent unless it does what was asked; a refusal is logged, since it is the launchpad's fault or worse. */
  async send(request: TransactionRequest, recorded: Recorded): Promise<TransactionState> {
    const { transactions } = this.#options;
    const { key, transaction, ...terms } = request;
    const report = await transactions.inspect(transaction, terms);
    const refusals = [...report.refusals, ...this.#unknown(report)];
    if (refusals.length > 0) {
      // For a wallet that holds less than the terms allow to take, that is the reason.
      if (report.refusals.some((one) => one.startsWith('would fail'))) await this.checkFunds(request.spend ?? {});
      this.#logRefusal(refusals);
      const detail = `The launchpad built something else than was asked for: it ${refusals.join('; it ')}. Nothing was sent.`;
      throw new MeshError('transaction_refused', { detail, extra: { refusals } });
    }
    const entry = await recorded(report);
    const state = await transactions.send({ ...request, entry }).catch((error: unknown) => {
      // It is rehearsed once more before it is signed, and may do something else by then.
      if (isMeshError(error) && error.code === 'transaction_refused')
        this.#logRefusal((error.details.extra as { refusals: readonly string[] }).refusals);
      throw error;
    });
    return this.#landed(key, state);
  }

  /** How it stands with a transaction of that key, once the ledger has it or will not have it; undefined when none was sent. */
  async found(key: string): Promise<TransactionState | undefined> {
    const state = await this.#options.transactions.find(key);
    const last = state && (await this.#looked(key, state));
    return last?.status === 'failed' ? undefined : last;
  }

  /** Throws `insufficient_funds` when the wallet holds less than the amounts. */
  async checkFunds({ lamports = 0n, tokens = {} }: NonNullable<TransactionRequest['spend']>): Promise<void> {
    const { accounts, self } = this.#options;
    const held = await accounts.holdings(self.address);
    if (held.lamports < lamports) throw poor(self.address, lamports, held.lamports, 'lamports');
    for (const [mint, amount] of Object.entries(tokens)) {
      const has = held.tokens.find((one) => one.mint === mint)?.amount ?? 0n;
      if (has < amount) throw poor(self.address, amount, has, `of ${mint}`);
    }
  }

  #logRefusal(refusals: readonly string[]): void {
    this.#options.log.warn({ refusals }, 'a transaction of the launchpad was refused');
  }

  #unknown({ programs }: TransactionReport): string[] {
    return programs
      .filter((program) => !this.#programs.has(program))
      .map((program) => `could call ${program}, which is not among the programs of the launchpad`);
  }

  /** Its state once the ledger has it or will not have it; after a while also before. */
  async #looked(key: string, first: TransactionState): Promise<TransactionState> {
    const { transactions, clock } = this.#options;
    let state = first;
    for (let look = 0; state.status === 'pending' && look < LOOKS; look++) {
      await clock.sleep(LOOK_AGAIN_MS);
      state = (await transactions.find(key)) ?? state;
    }
    return state;
  }

  async #landed(key: string, first: TransactionState): Promise<TransactionState> {
    const state = await this.#looked(key, first);
    if (state.status !== 'failed') return state;
    throw new MeshError(
      'upstream_failed',
      `The ledger refused the transaction (${state.reason}); only its fee was paid, if anything.`,
    );
  }
}

function poor(address: string, needed: bigint, held: bigint, unit: string): MeshError {
  const detail = `The wallet ${address} holds ${held} ${unit}, and ${needed} may be needed; nothing was sent.`;
  return new MeshError('insufficient_funds', { detail, extra: { needed: needed.toString(), held: held.toString() } });
}
