import { Identity, Ledger, Network, RecordedTransactions, Till } from '../internal-services.ts';
import { emptyWalletOn } from '../ledger/empty-wallet.ts';
import { ledgerSigner } from '../ledger/ledger.ts';
import { optional } from '../plugin.ts';
import { type Provider, provider } from '../provider.ts';
import { Clock, Contracts } from '../services.ts';
import { aggregatorArchive } from './behavior/aggregator-archive.ts';
import { BatchBook } from './behavior/batch-book.ts';
import { OwnAccount } from './behavior/own-account.ts';
import { Money, MoneySteps } from './deals/money-step.ts';
import { DutyWarnings as DutyWarningsService } from './duty-warnings.ts';
import { capsLine, capsOf } from './money/caps.ts';
import { CountedSteps } from './money/counted-steps.ts';
import { CountedTransactions } from './money/counted-transactions.ts';
import { PartnerKeys } from './partner-keys.ts';
import { Archives, Batches, Counter, DutyWarnings, Leases, Own, SettlementActions } from './services/behavior.ts';
import { Journal, NodeSpace } from './services/messaging.ts';
import { Caps, Counted } from './services/money.ts';
import { LeaseStandings } from './stake/lease-standings.ts';
import { PaymentCounter } from './stake/payment-counter.ts';
import { maxSaleFeesOf } from './wallet/wallet-config.ts';
import { NodeTill } from './x402/sales/till.ts';
import { shownCluster } from './x402/shown-cluster.ts';

const batchesProvider = provider(Batches, {
  uses: { space: NodeSpace, journal: Journal, identity: Identity, network: Network },
  open: (services) => new BatchBook(services),
});

const archivesProvider = provider(Archives, {
  open: (_, { settings }) => (settings.mesh.aggregators ?? []).map(aggregatorArchive),
});

const capsProvider = provider(Caps, {
  uses: { ledger: optional(Ledger), identity: Identity, clock: Clock },
  async open({ ledger, identity, clock }, { settings, note }) {
    const caps = capsOf(settings);
    if (!ledger) return caps;
    note(capsLine(caps));
    const empty = await emptyWalletOn(ledger, identity.address, clock);
    if (empty) note(`wallet: ${empty.what}; ${empty.remedy}`);
    return caps;
  },
});

const countedProvider = provider(Counted, {
  uses: { space: NodeSpace, caps: Caps, transactions: optional(RecordedTransactions) },
  open: ({ space, caps, transactions }, { log }) =>
    transactions && new CountedTransactions({ space, caps, transactions, log }),
});

const tillProvider = provider(Till, {
  uses: {
    ...{ identity: Identity, ledger: optional(Ledger), transactions: optional(RecordedTransactions) },
    ...{ space: NodeSpace, contracts: Contracts, clock: Clock },
  },
  open({ identity, ledger, transactions, ...parts }, { log, signal, url, settings }) {
    if (!ledger || !transactions) return undefined;
    const config = settings.core['wallet'] ?? {};
    return new NodeTill({
      ...{ ...parts, ledger, transactions, signer: ledgerSigner(identity), log, signal, url },
      ...{ cluster: shownCluster(ledger.cluster, config), maxFees: maxSaleFeesOf(config) },
    });
  },
});

const stepsProvider = provider(SettlementActions, {
  uses: {
    identity: Identity,
    ledger: optional(Ledger),
    transactions: optional(RecordedTransactions),
    counted: Counted,
  },
  open({ identity, ledger, transactions, counted }) {
    if (!ledger?.settlement || !transactions || !counted) return undefined;
    const signer = ledgerSigner(identity);
    return new CountedSteps({ settlement: ledger.settlement, transactions, signer }, counted);
  },
});

const ownPort = provider(Own, {
  uses: { identity: Identity, clock: Clock, ledger: optional(Ledger) },
  open({ identity, clock, ledger }) {
    return ledger?.settlement && new OwnAccount({ settlement: ledger.settlement, key: identity.address, clock });
  },
});

const counterProvider = provider(Counter, {
  uses: { space: NodeSpace, own: Own },
  open: ({ space, own }) => own && new PaymentCounter({ space, own }),
});

const leasesProvider = provider(Leases, {
  uses: { clock: Clock, ledger: optional(Ledger) },
  open: ({ clock, ledger }, { log }) => new LeaseStandings({ settlement: ledger?.settlement, clock, log }),
});

const warningsProvider = provider(DutyWarnings, { open: (_, { log }) => new DutyWarningsService(log) });

const moneyProvider = provider(Money, {
  uses: { space: NodeSpace, transactions: optional(RecordedTransactions), partnerKeys: PartnerKeys },
  open: (options) => new MoneySteps(options),
});

/** The services for a node's duties and money on the settlement program. */
export const valueProviders: readonly Provider[] = [
  capsProvider,
  countedProvider,
  tillProvider,
  batchesProvider,
  archivesProvider,
  stepsProvider,
  ownPort,
  counterProvider,
  leasesProvider,
  warningsProvider,
  moneyProvider,
];
