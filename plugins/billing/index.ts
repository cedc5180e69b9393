import { type Context, definePlugin, MeshError, normaliseAgentId } from '../../core/plugin.ts';
import { Agents, Clock, Http, LedgerAccounts, Metrics, Random, Self, Transactions } from '../../core/services.ts';
import { AddressRound } from './address-round.ts';
import { Beside } from './beside.ts';
import { Books } from './books.ts';
import { booksAnswer, booksOf } from './books-shapes.ts';
import { type BillingConfig, config } from './config.ts';
import { DepositKeys } from './deposit-keys.ts';
import { Deposits } from './deposits.ts';
import { FeeTable } from './fee-table.ts';
import { GatewayDeposits } from './gateway-deposits.ts';
import { historyAnswer } from './history-shapes.ts';
import { measure } from './measures.ts';
import { requireOneWallet } from './one-wallet.ts';
import { type Paid, Payouts } from './payouts.ts';
import { Reconciliation } from './reconciliation.ts';
import { Requests } from './requests.ts';
import { routes } from './routes.ts';
import { ATTESTATION_URLS, Attestation } from './settlement/attestation.ts';
import type { Fetch } from './settlement/call-json.ts';
import { Gateway } from './settlement/gateway.ts';
import * as shapes from './shapes.ts';
import { STORED } from './stored.ts';
import { Unused } from './unused.ts';
import { WatchedAddresses } from './watched-addresses.ts';
import { WithdrawalSteps } from './withdrawal-steps.ts';

const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** USDC of agents at an aggregator: deposits, withdrawals to any chain, and settled task payments on their way. */
export const billingPlugin = definePlugin({
  name: 'billing',
  api: '2.0',
  summary: 'Billing balances in USDC, and settlement across chains.',
  // The attestation service and the gateway, and the two programs of the transfer service.
  permissions: [
    'http:*',
    'money:sign:CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe',
    'money:sign:CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC',
  ],
  config,
  errors: { withdrawal_cap: [403, 'A cap on what may be withdrawn does not allow this.'] },
  schemas: [
    ...STORED,
    ...[
      shapes.depositAnswer,
      shapes.balanceAnswer,
      shapes.withdrawalAnswer,
      shapes.payoutAnswer,
      shapes.estimateAnswer,
      historyAnswer,
      booksAnswer,
    ].map(({ schema }) => schema),
  ],
  aggregator: {
    uses: {
      ...{ clock: Clock, random: Random, http: Http, metrics: Metrics, agents: Agents, self: Self },
      ...{ ledger: LedgerAccounts, transactions: Transactions },
    },
    ledgerEvents: { escrow_approved: true, escrow_claimed: true, escrow_split: true },
    routes,
    async setup({ http, metrics, ...services }, { config, space, folder, log, note }: Context<BillingConfig>) {
      const { ledger, clock } = services;
      const keys = ledger.cluster ? await DepositKeys.open(config.secret, folder, space) : undefined;
      if (keys) await requireOneWallet(space, services.self.address);
      const url = config.attestationUrl ?? attestationOf(ledger);
      const attestation = url === undefined ? undefined : new Attestation({ url, fetch: fetchBy(http) });
      const fees = attestation && new FeeTable(attestation, clock);
      if (ledger.cluster) note(`billing pays from the wallet ${services.self.address}, which needs SOL for fees`);
      const requireLedger = () => {
        if (!ledger.cluster)
          throw new MeshError('ledger_unavailable', 'This aggregator has no ledger, so nothing is deposited or paid.');
      };
      const books = new Books(space);
      const payouts = new Payouts(books, config);
      const common = { ...services, space, log, config, books, keys };
      const deposits = new Deposits({ ...common, payouts });
      const steps = new WithdrawalSteps({ ...common, attestation, fees });
      const gateway =
        config.gatewayUrl === undefined ? undefined : new Gateway({ url: config.gatewayUrl, fetch: fetchBy(http) });
      const gatewayDeposits = new GatewayDeposits({ ...common, gateway });
      const beside = new Beside(common);
      const requests = new Requests({ ...common, deposits, gatewayDeposits, beside, fees });
      const watched = new WatchedAddresses({ ...common, deposits });
      const unused = new Unused(common);
      const addressRound = new AddressRound({ ...common, deposits });
      const reconciliation = new Reconciliation({ ...common, addressRound });
      measure(metrics, reconciliation, addressRound);
      const released = {
        reads: (event: Paid) => payouts.reads(event),
        apply: (tx: Parameters<Payouts['released']>[0], event: Paid) => payouts.released(tx, event),
      };
      return {
        ledgerEvents: { escrow_approved: released, escrow_claimed: released, escrow_split: released },
        ready: () => steps.resume(),
        health() {
          const books = reconciliation.health();
          return books.state === 'ok' ? gatewayDeposits.health() : books;
        },
        preconditions: {
          billing_deposit: requireLedger,
          billing_withdraw: requireLedger,
          billing_set_payout: requireLedger,
        },
        jobs: [
          { name: 'addresses', every: LOOK_MS, once: true, run: (signal) => addressRound.run(signal) },
          { name: 'deposits', every: LOOK_MS, once: true, run: (signal) => watched.run(signal) },
          { name: 'gateway-deposits', every: LOOK_MS, once: true, run: (signal) => gatewayDeposits.run(signal) },
          { name: 'beside', every: LOOK_MS, once: true, run: () => beside.run() },
          { name: 'withdrawals', every: LOOK_MS, first: 100, once: true, run: (signal) => steps.run(signal) },
          { name: 'unused', every: MINUTE_MS, once: true, run: (signal) => unused.run(signal) },
          {
            name: 'reconciliation',
            every: HOUR_MS,
            first: 500,
            once: true,
            run: (signal) => reconciliation.run(signal),
          },
        ],
        routes: {
          billing_deposit: ({ body, principal }) => requests.deposit(principal.id, body),
          billing_balance({ params, principal }) {
            if (normaliseAgentId(params.agent_id) !== principal.id)
              throw new MeshError('forbidden', 'Only the agent itself sees its balance.');
            return requests.balance(principal.id);
          },
          billing_withdraw: ({ body, principal, operationId }) => requests.withdraw(principal.id, body, operationId),
          billing_set_payout: ({ body, principal, operationId }) => requests.setPayout(principal.id, body, operationId),
          billing_estimate: ({ query }) => requests.estimate(query),
          billing_withdrawal: ({ params, principal }) => requests.withdrawal(principal.id, params.withdrawal_id),
          billing_books: () => booksOf(reconciliation, addressRound, beside),
          billing_history: ({ query, principal }) => requests.history(principal.id, query),
        },
      };
    },
  },
});

/** The service of the ledger's cluster; the transfer service is on no localnet. */
function attestationOf({ cluster }: LedgerAccounts): string | undefined {
  if (cluster === 'mainnet-beta') return ATTESTATION_URLS.mainnet;
  return cluster === 'devnet' ? ATTESTATION_URLS.sandbox : undefined;
}

function fetchBy(http: Http): Fetch {
  return async (url, init) => {
    const answer = await http.request(url, init);
    return { status: answer.status, text: async () => answer.text() };
  };
}
