import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger, Network } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { type Job, optional } from '../../plugin.ts';
import { type Provider, provider } from '../../provider.ts';
import { Clock, DeliveryChecks, Random } from '../../services.ts';
import { storeJob } from '../../storage/store-job.ts';
import { Kept } from '../deliveries/providers.ts';
import { escrowsProvider } from '../escrow/escrows-provider.ts';
import { PartnerKeys } from '../partner-keys.ts';
import { IncomingPayments } from '../payments/incoming-payments.ts';
import { OutgoingPayments } from '../payments/outgoing-payments.ts';
import { DealBook } from '../services/deal-book.ts';
import { DealJobs } from '../services/deal-jobs.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Caps, Counted } from '../services/money.ts';
import { Negotiating } from '../services/negotiating.ts';
import { Events, type NodeEvents } from '../services/node-events.ts';
import { Partners } from '../services/partners.ts';
import { DealBook as Book } from './deal-book.ts';
import { type DealDocument, deals, withFindings } from './deal-document.ts';
import { dealEvent } from './deal-event-data.ts';
import { DealTimers, Timers } from './deal-timers.ts';
import { dealsSettings, partnerLimits } from './deals-config.ts';
import { Means } from './means.ts';
import { Money } from './money-step.ts';
import { Negotiation } from './negotiation.ts';
import { OfferCaps } from './offer-caps.ts';
import { Partners as PartnersService } from './partners.ts';

const timersProvider = provider(Timers, {
  uses: { space: NodeSpace, events: Events, clock: Clock },
  open: ({ space, events, clock }, { log }) =>
    new DealTimers({ space, clock, log, changed: (document) => events.emit('deal', undefined, dealEvent(document)) }),
});

const partnersProvider = provider(Partners, {
  uses: { space: NodeSpace, identity: Identity, clock: Clock },
  open: ({ space, identity, clock }, { settings }) =>
    new PartnersService({
      ...{ space, self: identity.address, now: () => clock.now() },
      limits: partnerLimits(dealsSettings(settings)),
    }),
});

const dealsProvider = provider(DealBook, {
  uses: {
    space: NodeSpace,
    messages: Messaging,
    identity: Identity,
    network: Network,
    events: Events,
    timers: Timers,
    partners: Partners,
    partnerKeys: PartnerKeys,
    caps: Caps,
    clock: Clock,
    ledger: optional(Ledger),
  },
  open({ events, timers, caps, clock, ledger, ...core }) {
    const { space, identity } = core;
    const spends = { space, self: identity.address, now: () => clock.now(), caps: ledger && caps };
    const means = new Means(ledger);
    return new Book({ ...core, means, caps: new OfferCaps(spends), changed: dealMoved(events, timers) });
  },
});

const negotiationProvider = provider(Negotiating, {
  uses: {
    deals: DealBook,
    kept: Kept,
    identity: Identity,
    network: Network,
    clock: Clock,
    random: Random,
    partnerKeys: PartnerKeys,
    ledger: optional(Ledger),
  },
  open: (services, { settings }) => new Negotiation({ ...services, unlimited: settings.api.unlimited }),
});

/** A deal was moved by this node itself. */
function dealMoved(events: NodeEvents, timers: DealTimers) {
  return (document: DealDocument): void => {
    timers.moved();
    events.emit('deal', undefined, dealEvent(document));
  };
}

const dealJobsProvider = provider(DealJobs, {
  uses: {
    space: NodeSpace,
    identity: Identity,
    events: Events,
    clock: Clock,
    timers: Timers,
    counted: Counted,
    ledger: optional(Ledger),
    money: Money,
  },
  open({ space, identity, events, clock, timers, counted, ledger, money }, { log, signal, note }) {
    const changed = dealMoved(events, timers);
    const jobs: Job[] = [
      { name: 'deal-timers', every: 1_000, due: (stop) => timers.due(stop), run: (stop) => timers.look(stop) },
    ];
    if (!ledger || !counted) {
      note('ledger: none, so nothing can be paid; give --rpc-url');
      return { jobs, outgoing: undefined, signal };
    }
    const signer = ledgerSigner(identity);
    const outgoing = new OutgoingPayments({ space, ledger, counted, money, signer, clock, log, changed });
    const incoming = new IncomingPayments({ space, ledger, address: identity.address, clock, log, changed });
    const unfinished = async (stop: AbortSignal) => {
      await outgoing.resume(stop);
      await money.sweep(stop);
    };
    const payments: Job[] = [
      storeJob(space, clock, { name: 'incoming-payments', every: 2_000, run: (stop) => incoming.run(stop) }),
      { name: 'unfinished-payments', every: 30_000, first: 0, run: unfinished },
    ];
    return { jobs: [...jobs, ...payments], outgoing, signal };
  },
});

/** Stores the results of acceptance checks with their deals; the node decides its escrow duties by them. */
const deliveryChecksProvider = provider(DeliveryChecks, {
  uses: { space: NodeSpace },
  open: ({ space }): DeliveryChecks => ({
    async found(conversationId, delivery, fits) {
      const ref = deals.ref(conversationId.toLowerCase());
      const { value } = await space.tx([ref], (tx) => {
        const document = tx.get(ref);
        if (document) tx.put(ref, withFindings(document, { delivery, fits }));
        return document !== undefined;
      });
      if (!value) throw new MeshError('not_found', `There is no deal ${conversationId} on this node.`);
    },
  }),
});

/** The deals of this node, and what has to be done for them. */
export const dealProviders: readonly Provider[] = [
  timersProvider,
  partnersProvider,
  dealsProvider,
  negotiationProvider,
  dealJobsProvider,
  deliveryChecksProvider,
  escrowsProvider,
];
