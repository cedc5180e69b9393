import {
  EnvelopeHandlers,
  ExtensionPoints,
  HttpNetwork,
  Identity,
  Ledger,
  Mesh,
  MeshInbound,
  Network,
  SigningLock,
  Store,
  Verifier,
} from '../internal-services.ts';
import { Dispatcher } from '../messaging/dispatcher.ts';
import { EpochJournal } from '../messaging/epoch-journal.ts';
import { Inbox } from '../messaging/inbox.ts';
import { Messages } from '../messaging/messages.ts';
import { NewestReceipts } from '../messaging/newest-receipts.ts';
import { claimStore } from '../messaging/own-store.ts';
import { receivedInbound } from '../messaging/received-envelope.ts';
import { SenderRates, textRatesOf } from '../messaging/sender-rates.ts';
import { SigningGuard } from '../messaging/signing-guard.ts';
import { optional } from '../plugin.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import { type Provider, provider } from '../provider.ts';
import { Clock, Metrics, Random } from '../services.ts';
import { Appeared, EnvelopeSender, Gate } from './agents/providers.ts';
import { hasDeal } from './deals/deal-document.ts';
import { dealReceiveHooks } from './deals/deal-rules.ts';
import { Timers } from './deals/deal-timers.ts';
import { settleOlderDeals } from './deals/older-deals.ts';
import { expecting } from './deliveries/expected-blobs.ts';
import { Expected } from './deliveries/providers.ts';
import { createDirectory } from './directory.ts';
import { nodeListener } from './listener.ts';
import { ratingReceiveHook } from './reputation/own-ratings.ts';
import { Hosts, Recipients } from './services/agents.ts';
import { Heard } from './services/broadcasts.ts';
import { Dispatching, InboxService } from './services/inbox.ts';
import { Journal, Messaging, NodeSpace, Signing } from './services/messaging.ts';
import { Events } from './services/node-events.ts';
import { AddressBook } from './services/peers.ts';
import { countSigning, watchPeers } from './signing.ts';
import { NodeStrangers, strangerLimits } from './strangers.ts';
import { Topics } from './topics.ts';

const spaceProvider = provider(NodeSpace, {
  uses: { store: Store, identity: Identity, network: Network },
  async open({ store, identity, network }) {
    const space = store.space('node');
    await claimStore(space, identity.address, async () =>
      network.version === 2 ? settleOlderDeals(space) : undefined,
    );
    return space;
  },
});

const journalProvider = provider(Journal, {
  uses: { space: NodeSpace, identity: Identity, network: Network, clock: Clock },
  open: ({ space, identity, network, clock }) =>
    new EpochJournal({ space, clock, address: identity.address, epochSecs: network.epochSecs }),
});

const signingProvider = provider(Signing, {
  uses: { journal: Journal, identity: Identity, network: Network, halt: SigningLock, mesh: Mesh, metrics: Metrics },
  async open({ mesh, metrics, ...core }, { log, defer }) {
    const found = metrics.counter('mesh_foreign_envelopes_total', 'Envelopes of our key that our journal lacks.');
    const clockOffset = () => mesh.clockOffset();
    const guard = await SigningGuard.open({ ...core, log, clockOffset, found: () => found() });
    defer(watchPeers(mesh, guard));
    countSigning(metrics, mesh, guard);
    return guard;
  },
});

const inboxProvider = provider(InboxService, {
  uses: { space: NodeSpace },
  async open({ space }, { log, defer }) {
    const inbox = await Inbox.open(space, log);
    defer(() => inbox.close());
    return inbox;
  },
});

const dispatchingProvider = provider(Dispatching, {
  uses: { inbox: InboxService, handlers: EnvelopeHandlers },
  open({ inbox, handlers }, { log, signal, defer }) {
    const dispatcher = new Dispatcher({ inbox, handlers, log, signal });
    defer(() => dispatcher.close());
    return dispatcher;
  },
});

const messagingProvider = provider(Messaging, {
  uses: {
    space: NodeSpace,
    identity: Identity,
    network: Network,
    verifier: Verifier,
    mesh: Mesh,
    inbound: MeshInbound,
    events: Events,
    peers: AddressBook,
    topics: Topics,
    expected: Expected,
    heard: Heard,
    inbox: InboxService,
    dispatcher: Dispatching,
    signing: Signing,
    timers: Timers,
    metrics: Metrics,
    clock: Clock,
    random: Random,
    http: HttpNetwork,
    recipients: Recipients,
    hosts: Hosts,
    appeared: Appeared,
    envelopeSender: EnvelopeSender,
    gate: Gate,
    plugins: ExtensionPoints,
    ledger: optional(Ledger),
  },
  async open(
    {
      mesh,
      inbound,
      events,
      peers,
      topics,
      heard,
      expected,
      dispatcher,
      signing,
      timers,
      metrics,
      http,
      recipients,
      hosts,
      appeared,
      plugins,
      ledger,
      ...core
    },
    { settings, log, defer },
  ) {
    const { identity, clock } = core;
    const newest = new NewestReceipts();
    const refusedStrangers = metrics.counter(
      'mesh_strangers_refused_total',
      'Letters of unknown keys, by full bound.',
      ['bound'],
    );
    const strangers = await NodeStrangers.open({
      ...core,
      limits: strangerLimits(settings),
      refused: (bound) => refusedStrangers({ bound }),
    });
    const messages: Messages = new Messages({
      ...core,
      log,
      strangers,
      rates: new SenderRates(clock, settings.mesh.senderRate),
      textRates: textRatesOf(clock, settings.mesh.senderMessages),
      slot: () => ledger?.slot() ?? 0,
      report: settings.mesh.report,
      receiveHooks: {
        ...dealReceiveHooks,
        DELIVER: expecting(dealReceiveHooks.DELIVER),
        FEEDBACK: ratingReceiveHook(identity.address),
      },
      guests: (message) => plugins.receiving(receivedInbound(message)),
      sending: (type, draft) => plugins.sending(type, draft),
      permit: () => signing.permit(),
      heirOf: (key) => hosts.heirOf(key),
      hasDeal: (conversation) => hasDeal(core.space, conversation),
      listener: nodeListener({
        ...{ events, peers, topics, heard, metrics, log, newest, space: core.space },
        self: identity.address,
        foreignReceipt: (receipt, from) => signing.foreignReceipt(receipt, from),
        unstored: (message) => dispatcher.unstored(message),
        beaconed: (...told) => appeared.beaconed(...told),
        dealMoved: () => timers.moved(),
        delivered: () => expected.wake(),
      }),
    });
    recipients.add(identity.address, (...given) => messages.receive(...given));
    inbound.receive = (envelope, { remote, topic }, kind) =>
      recipients.receive(envelope, kind === 'broadcast', remote, topic);
    inbound.newest = async (key) => newest.of(formatAgentId(key)) ?? (await peers.receiptOf(key));
    inbound.lookup = createDirectory({
      peers,
      aggregators: settings.mesh.aggregators ?? [],
      beaconEvery: (settings.mesh.beaconSecs ?? 300) * 1_000,
      clock,
      fetch: http.fetch,
    });
    inbound.hubs = (key) => peers.hubsOf(key);
    defer(
      mesh.watch({
        peerUp(peer) {
          const key = formatAgentId(peer.key);
          events.emit('peer', key, { change: 'up', name: peer.name, hub: peer.hub });
          appeared.connected(key);
          if (peer.hub) messages.hubReachable();
        },
        peerDown: (peer, reason) => events.emit('peer', formatAgentId(peer.key), { change: 'down', reason }),
      }),
    );
    defer(appeared.listen((key) => messages.reachable(key)));
    defer(() => messages.close());
    await messages.start();
    return messages;
  },
});

/** The services through which this node sends and receives. */
export const messagingProviders: readonly Provider[] = [
  spaceProvider,
  journalProvider,
  signingProvider,
  inboxProvider,
  dispatchingProvider,
  messagingProvider,
];
