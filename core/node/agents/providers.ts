import { RateLimiter } from '../../http/limits.ts';
import {
  ExtensionPoints,
  HttpNetwork,
  IdempotencyStore,
  Identity,
  Ledger,
  Mesh,
  Network,
  Settings,
  Store,
  Verifier,
} from '../../internal-services.ts';
import { resumedTransactions } from '../../ledger/resumed-transactions.ts';
import type { EnvelopeSender as EnvelopeSenderValue } from '../../messaging/delivery.ts';
import { Fallback as FallbackValue } from '../../messaging/fallback.ts';
import { LocalRecipients } from '../../messaging/local-recipients.ts';
import type { MessagesOptions } from '../../messaging/messages.ts';
import { StrangerShare } from '../../messaging/strangers.ts';
import { internalToken } from '../../platform/token.ts';
import { optional } from '../../plugin.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { type Provider, provider } from '../../provider.ts';
import { Clock, Contracts, Metrics, Random } from '../../services.ts';
import { FetchPlaces } from '../deliveries/fetch-places.ts';
import { BlobSource, Kept } from '../deliveries/providers.ts';
import { envelopeSenderOf } from '../envelope-sender.ts';
import { Exempt } from '../exempt/exempt-agents.ts';
import { gatesOf } from '../gates.ts';
import { PartnerKeys } from '../partner-keys.ts';
import { Fallback, Hosts, Recipients } from '../services/agents.ts';
import { Leases } from '../services/behavior.ts';
import { Messaging, NodeSpace, Signing } from '../services/messaging.ts';
import { Events } from '../services/node-events.ts';
import { strangerLimits } from '../strangers.ts';
import { envelopeCounters } from './agent-listener.ts';
import { Appearances } from './appearances.ts';
import { HostDirectory } from './host-directory.ts';
import { publishedClaims } from './published-claims.ts';
import { Residents as ResidentsValue } from './residents.ts';

const recipientsProvider = provider(Recipients, {
  uses: { identity: Identity },
  open: ({ identity }) => new LocalRecipients(identity.address),
});

const hostsProvider = provider(Hosts, {
  uses: { space: NodeSpace, network: Network, verifier: Verifier, clock: Clock },
  open: (services) => new HostDirectory(services),
});

/** Tells the outboxes of this node who can be reached again. */
export const Appeared = internalToken<Appearances>('appearances');
const appearedProvider = provider(Appeared, {
  uses: { hosts: Hosts, events: Events },
  open: ({ hosts, events }, { log }) => new Appearances(hosts, events, log),
});

/** The way of envelopes out of every outbox of this node. */
export const EnvelopeSender = internalToken<EnvelopeSenderValue>('envelope-sender');
const senderProvider = provider(EnvelopeSender, {
  uses: { mesh: Mesh, recipients: Recipients, hosts: Hosts, fallback: Fallback },
  open({ mesh, recipients, hosts, fallback }, { defer }) {
    const connected = new Set<string>();
    defer(
      mesh.watch({
        peerUp: ({ key }) => void connected.add(formatAgentId(key)),
        // The last of several sessions with it, or one that another has replaced.
        peerDown({ key }) {
          const id = formatAgentId(key);
          if (!mesh.peers().some((peer) => formatAgentId(peer.key) === id)) connected.delete(id);
        },
      }),
    );
    const isConnected = (id: string) => connected.has(id);
    return envelopeSenderOf({ mesh, recipients, fallback, isConnected, hostOf: (key) => hosts.hostOf(key) });
  },
});

const fallbackProvider = provider(Fallback, { open: () => new FallbackValue() });

/** Whom the agents of this node listen to. A hosted agent passes by the standing of its host, and plugins judge both. */
export type Gate = MessagesOptions['gate'];
export const Gate = internalToken<Gate>('gate');
const gateProvider = provider(Gate, {
  uses: {
    leases: Leases,
    exempt: Exempt,
    plugins: ExtensionPoints,
    recipients: Recipients,
    hosts: Hosts,
    clock: Clock,
    http: HttpNetwork,
    ledger: optional(Ledger),
  },
  open({ recipients, hosts, http, ledger, ...means }, { settings }): Gate {
    const { exempt, plugins } = means;
    const gate = gatesOf(settings, { ...means, settlement: ledger?.settlement, fetch: http.fetch });
    return async (sender, msgType, signedAt) => {
      const id = formatAgentId(sender);
      // Its successor signs with another key; this one may be in other hands.
      if (await hosts.isClosed(id, msgType, signedAt)) return 'blocked';
      if (recipients.has(id) || exempt.has(id)) return 'accepted';
      const host = await hosts.hostOf(sender);
      const verdict = await gate(host ?? sender, msgType);
      return host && verdict === 'accepted' ? plugins.admit(id, msgType, formatAgentId(host)) : verdict;
    };
  },
});

/** How often the agents beside the node's own may ask the ledger, all together. */
const LEDGER_ASKS = { rate: 120, window: 60 };
/** The space of their transactions. No plugin has a name with an underscore. */
const LEDGER_SPACE = 'local_ledger';

/** Deliveries that are fetched for hosted agents at the same time. */
const PLACES = 6;

/** The agents that live on this node beside its own. */
export type Residents = ResidentsValue;
export const Residents = internalToken<Residents>('residents');
const residentsProvider = provider(Residents, {
  uses: {
    store: Store,
    space: NodeSpace,
    identity: Identity,
    network: Network,
    verifier: Verifier,
    settings: Settings,
    contracts: Contracts,
    idempotency: IdempotencyStore,
    recipients: Recipients,
    envelopeSender: EnvelopeSender,
    gate: Gate,
    messages: Messaging,
    signing: Signing,
    kept: Kept,
    blobSource: BlobSource,
    partnerKeys: PartnerKeys,
    mesh: Mesh,
    hosts: Hosts,
    appeared: Appeared,
    metrics: Metrics,
    clock: Clock,
    random: Random,
    http: HttpNetwork,
    ledger: optional(Ledger),
  },
  open(
    { identity, recipients, hosts, messages, signing, mesh, appeared, metrics, http, ledger, settings, ...shared },
    { log, signal, defer },
  ) {
    const foreign = metrics.counter(
      'mesh_hosted_foreign_envelopes_total',
      'Envelopes of hosted keys that no journal has.',
    );
    const refused = metrics.counter('mesh_hosted_strangers_refused_total', 'Letters of unknown keys, by full bound.', [
      'bound',
    ]);
    const limits = strangerLimits(settings);
    const { store, clock } = shared;
    const wallets = ledger && {
      ledger,
      transactions: resumedTransactions({ space: store.space(LEDGER_SPACE), ledger, clock, log, signal, defer }),
      asks: new RateLimiter(LEDGER_ASKS, clock),
    };
    const residents = new ResidentsValue({
      recipients,
      hosts,
      own: identity.address,
      published: publishedClaims({ urls: settings.mesh.aggregators ?? [], clock, fetch: http.fetch }),
      arrived: (id) => messages.reachable(id),
      ground: {
        ...shared,
        settings,
        log,
        wallets,
        fetchPlaces: new FetchPlaces({ most: PLACES, each: 1 }),
        slot: () => ledger?.slot() ?? 0,
        permit: () => signing.permit(),
        heirOf: (key) => hosts.heirOf(key),
        counters: envelopeCounters(metrics),
        strangers: { offers: new StrangerShare(limits.offers), letters: new StrangerShare(limits.inboxBytes) },
        refusedStranger: (bound) => refused({ bound }),
        foreign: () => foreign(),
      },
    });
    metrics.gauge('mesh_hosted_agents', 'Agents that live on this node beside its own.', () => residents.size);
    metrics.gauge('mesh_hosted_agents_awake', 'Those of them that are in memory.', () => residents.memory.size);
    defer(() => residents.close());
    defer(appeared.listen((key) => residents.memory.appeared(key)));
    defer(mesh.watch({ peerUp: ({ hub }) => hub && residents.memory.hubAppeared() }));
    return residents;
  },
});

export const agentProviders: readonly Provider[] = [
  recipientsProvider,
  hostsProvider,
  fallbackProvider,
  appearedProvider,
  senderProvider,
  gateProvider,
  residentsProvider,
];
