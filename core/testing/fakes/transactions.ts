import { MeshError } from '../../contracts/errors.ts';
import type {
  RelayRequest,
  TransactionReport,
  TransactionRequest,
  TransactionState,
  Transactions,
} from '../../services.ts';

/** The service `Transactions` without a ledger: it reports what the test says, and every transaction is final at once. */
export interface FakeTransactions {
  readonly service: Transactions;
  /** Transactions that were signed or sent, oldest first. */
  readonly signed: readonly TransactionRequest[];
  /** Transactions that were relayed, oldest first. */
  readonly relayed: readonly RelayRequest[];
  /** The report of `inspect` from now on, over a transaction that does nothing and is refused nothing. */
  report(report: Partial<TransactionReport>): void;
}

/** `services: [value(Transactions, fakeTransactions().service)]`. */
export function fakeTransactions(): FakeTransactions {
  const signed: TransactionRequest[] = [];
  const relayed: RelayRequest[] = [];
  const states = new Map<string, TransactionState & { readonly transaction: string }>();
  let reported: TransactionReport = {
    ...{ feePayer: 'fake-wallet', signers: [{ address: 'fake-wallet', signed: false }], programs: [] },
    ...{ lamports: 0n, tokens: {}, refusals: [] },
  };
  function take(request: TransactionRequest): void {
    const { refusals } = reported;
    if (refusals.length > 0) throw new MeshError('transaction_refused', { extra: { refusals } });
    signed.push(request);
  }
  return {
    signed,
    relayed,
    report(report) {
      reported = { ...reported, ...report };
    },
    service: {
      inspect: async () => reported,
      async sign(request) {
        take(request);
        return request.transaction;
      },
      async send(request) {
        const { key, transaction } = request;
        const before = states.get(key);
        if (before && before.transaction !== transaction) throw new MeshError('idempotency_mismatch');
        if (!before) take(request);
        const state = before ?? { transaction, signature: `fake-${signed.length}`, status: 'final' };
        states.set(key, state);
        return { signature: state.signature, status: state.status };
      },
      async relay(request) {
        const { key, transaction } = request;
        const before = states.get(key);
        if (before && before.transaction !== transaction) throw new MeshError('idempotency_mismatch');
        if (!before) relayed.push(request);
        const state = before ?? { transaction, signature: `fake-relayed-${relayed.length}`, status: 'final' };
        states.set(key, state);
        return { signature: state.signature, status: state.status };
      },
      async find(key) {
        const state = states.get(key);
        return state && { signature: state.signature, status: state.status };
      },
    },
  };
}
