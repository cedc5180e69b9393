import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger, RecordedTransactions } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { answer, definePlugin, optional, route } from '../../plugin.ts';
import { Clock, Contracts, Http, Random } from '../../services.ts';
import { storeJob } from '../../storage/store-job.ts';
import { READS, STEPS } from '../limits.ts';
import { sweepView, sweepWishOf } from '../requests/sweeps.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Caps, Counted } from '../services/money.ts';
import { withoutLedger } from '../wallet/balances.ts';
import { Sweeps } from '../wallet/sweeps.ts';
import { walletConfig } from '../wallet/wallet-config.ts';
import { Outcomes } from '../x402/outcomes.ts';
import { Pay } from '../x402/pay.ts';
import { paymentView } from '../x402/payment-view.ts';
import { Payments } from '../x402/payments.ts';
import { reconcileSales } from '../x402/sales/reconcile.ts';
import { tellSales } from '../x402/sales/sale-entries.ts';
import { salesPage } from '../x402/sales/sales-page.ts';
import { isServed, Seller } from '../x402/seller.ts';
import { shownCluster } from '../x402/shown-cluster.ts';

/** Money of the hot wallet that moves on its owner's word: sweeps, and payments by x402. */
export const walletFace = definePlugin({
  name: 'wallet',
  api: '2.0',
  summary: 'Sweeps of the hot wallet, payments and sales by x402.',
  permissions: ['http:*'],
  config: walletConfig,
  node: {
    uses: {
      identity: Identity,
      ledger: optional(Ledger),
      transactions: optional(RecordedTransactions),
      space: NodeSpace,
      caps: Caps,
      counted: Counted,
      http: Http,
      contracts: Contracts,
      clock: Clock,
      random: Random,
    },
    routes: {
      sweep: route('POST /wallet/sweep', {
        auth: 'api',
        summary: 'Sends the USDC of the hot wallet to a wallet of its owner.',
        body: 'sweep-request',
        money: true,
        reply: 'sweep',
        idempotency: true,
        limit: STEPS,
        errors: ['ledger_unavailable', 'insufficient_funds', 'forbidden', 'conflict', 'upstream_failed'],
      }),
      pay: route('POST /wallet/x402/pay', {
        auth: 'api',
        summary:
          'Signs a payment that an offer of x402 asks for, at most 10 USDC; calls the seller, too, when a URL is given.',
        body: 'x402-pay-request',
        maxBody: 131_072,
        money: true,
        reply: 'x402-payment',
        idempotency: true,
        limit: STEPS,
        errors: [
          'ledger_unavailable',
          'insufficient_funds',
          'spending_cap',
          'forbidden',
          'conflict',
          'rate_limited',
          'upstream_failed',
        ],
      }),
      payment: route('GET /wallet/x402/:payment_id', {
        auth: 'api',
        limit: READS,
        summary: 'A payment by x402, with what the ledger says of it now.',
        params: { payment_id: 'x402-payment-id' },
        reply: 'x402-payment',
        errors: ['not_found', 'ledger_unavailable'],
      }),
      sales: route('GET /wallet/sales', {
        auth: 'api',
        limit: READS,
        summary: 'The calls that this node sold by x402, and which of them are paid for and not answered.',
        query: 'x402-sales-query',
        reply: 'x402-sales',
      }),
    },
    setup({ identity, ledger, transactions, space, caps, counted, http, contracts, clock, random }, context) {
      const { config, log, signal } = context;
      const signer = ledgerSigner(identity);
      const open =
        ledger && transactions && counted
          ? parts({ ...{ ledger, transactions, counted, signer }, allowed: config.sweepTo })
          : undefined;

      function parts({ ledger, transactions, counted, signer, allowed }: Wallet) {
        const outcomes = new Outcomes({ space, ledger, caps, self: signer.address, clock, log });
        const payments = new Payments({ space, ledger, signer, caps, outcomes, clock, random });
        const reader = { contracts, cluster: shownCluster(ledger.cluster, config), self: signer.address };
        const pay = new Pay({ reader, payments, seller: new Seller({ http, reader, payments, outcomes }) });
        const reserved = async () => (await counted.reserved()) + (await outcomes.reserved());
        const sweeps = new Sweeps({ space, ledger, transactions, signer, allowed, reserved, random, signal, log });
        return { outcomes, payments, pay, sweeps };
      }

      function wallet() {
        if (open) return open;
        throw withoutLedger();
      }

      return {
        routes: {
          async sweep({ body, operationId: call }) {
            const wish = sweepWishOf(body, call);
            return sweepView(await wallet().sweeps.sweep(wish));
          },
          async pay({ body, operationId }) {
            const view = await wallet().pay.pay(body, operationId);
            // Until the seller has served, the same call shows the same payment again.
            return answer(view, { again: body.url !== undefined && !isServed(view.response?.status ?? 0) });
          },
          async payment({ params }) {
            const { payments, outcomes } = wallet();
            const { payment_id: id } = params;
            const found = await payments.get(id);
            const due = found && found.look_at <= clock.now();
            const record = due ? await outcomes.look(id, found).catch(() => found) : found;
            if (!record) throw new MeshError('not_found', `There is no payment ${id} by x402 on this node.`);
            return paymentView(id, record, true);
          },
          sales: ({ query }) => salesPage(space, query),
        },
        jobs: open
          ? [
              { name: 'sweeps', every: 15_000, first: 0, run: (stop: AbortSignal) => open.sweeps.run(stop) },
              { name: 'x402-outcomes', every: 5_000, first: 0, run: (stop: AbortSignal) => open.outcomes.run(stop) },
              {
                name: 'x402-sales',
                every: 15_000,
                first: 0,
                run: (stop: AbortSignal) => reconcileSales({ space, transactions: transactions!, clock }, stop),
              },
              {
                name: 'x402-sale-entries',
                every: 5_000,
                first: 2_500,
                run: (stop: AbortSignal) => tellSales({ space, transactions: transactions! }, stop),
              },
            ].map((job) => storeJob(space, clock, job))
          : [],
      };
    },
  },
});

interface Wallet {
  readonly ledger: Ledger;
  readonly transactions: RecordedTransactions;
  readonly counted: NonNullable<Counted>;
  readonly signer: ReturnType<typeof ledgerSigner>;
  readonly allowed: readonly string[] | undefined;
}
