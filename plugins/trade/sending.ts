import { collection, isMeshError, type Log, MeshError } from '../../core/plugin.ts';
import type {
  Random,
  Space,
  TransactionReport,
  TransactionRequest,
  TransactionState,
  Transactions,
} from '../../core/services.ts';
import type { TradeConfig } from './config.ts';
import { programFaults } from './programs.ts';
import type { Operation } from './stored.ts';
import { SOL } from './tokens.ts';

/** Fees, and the rent of token accounts and orders that a trade may open. */
export const COSTS = 20_000_000n;

/** Milliseconds for which a call is known by its idempotency key. */
const CALL_KNOWN_FOR = 24 * 3_600_000;

/** The transaction that an operation of a caller stands for, so that a call repeated after a crash sends no second one. */
const operations = collection<Operation>('operations', { schema: 'trade/operation', ttl: CALL_KNOWN_FOR });

/** Has transactions signed and sent, and remembers which operation of a caller each was for. */
export class Sending {
  readonly #random: Random;
  readonly #space: Space;
  readonly #transactions: Transactions;
  readonly #log: Log;
  readonly #programs: readonly string[] | undefined;

  constructor(
    services: {
      readonly random: Random;
      readonly space: Space;
      readonly transactions: Transactions;
      readonly log: Log;
    },
    { programs }: Pick<TradeConfig, 'programs'>,
  ) {
    this.#random = services.random;
    this.#space = services.space;
    this.#transactions = services.transactions;
    this.#log = services.log;
    this.#programs = programs;
  }

  /** Sends it under a key of its own, which is written down with the operations that it is for first. */
  async send(
    names: readonly (string | undefined)[],
    request: Omit<TransactionRequest, 'key'>,
    more: Omit<Operation, 'key'> = {},
  ): Promise<TransactionState> {
    if (this.#programs) await this.inspected(request);
    const key = `trade/${Buffer.from(this.#random.bytes(12)).toString('hex')}`;
    const known = names.filter((name) => name !== undefined);
    if (known.length > 0)
      await this.#space.tx([], (tx) => {
        for (const name of known) tx.put(operations.ref(name), { key, ...more });
      });
    const state = await this.#transactions.send({ key, ...request }).catch((error: unknown) => {
      if (isMeshError(error) && error.code === 'transaction_refused')
        this.#logRefusal((error.details.extra as { refusals: readonly string[] }).refusals);
      throw error;
    });
    if (state.status !== 'failed') return state;
    throw new MeshError(
      'upstream_failed',
      `The ledger refused the transaction (${state.reason}); only its fee was paid.`,
    );
  }

  /** The effects of a transaction; rejects where it would do something else than was asked for. */
  async inspected({ transaction, ...terms }: Omit<TransactionRequest, 'key'>): Promise<TransactionReport> {
    const report = await this.#transactions.inspect(transaction, terms);
    const refusals = [...report.refusals, ...programFaults(report.programs, this.#programs)];
    if (refusals.length === 0) return report;
    this.#logRefusal(refusals);
    throw new MeshError('transaction_refused', {
      detail: `The trading service built something else than was asked for: it ${refusals.join('; it ')}.`,
      extra: { refusals },
    });
  }

  /** It is the fault of the trading service, or worse. */
  #logRefusal(refusals: readonly string[]): void {
    this.#log.warn({ refusals }, 'a transaction of the trading service was refused');
  }

  /** The transaction that an earlier call of the same operation has sent. */
  async done(operation: string | undefined) {
    if (operation === undefined) return undefined;
    const found = await this.#space.get(operations.ref(operation));
    const state = found && (await this.#transactions.find(found.key));
    return state && state.status !== 'failed' ? { ...found, state } : undefined;
  }
}

/** The terms of a transaction that takes an amount of a token, and what it costs. */
export function spending(mint: string, amount: bigint): Pick<TransactionRequest, 'spend'> {
  if (mint === SOL) return { spend: { lamports: amount + COSTS } };
  return { spend: { lamports: COSTS, tokens: { [mint]: amount } } };
}

export function sent({ signature, status }: TransactionState): {
  txid: string;
  status: 'pending' | 'confirmed' | 'final';
} {
  return { txid: signature, status: status as 'pending' | 'confirmed' | 'final' };
}
