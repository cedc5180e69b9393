import type { Contracts } from '../../contracts/contracts.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { IdempotencyStore } from '../../http/idempotency.ts';
import type { Settings } from '../../internal-services.ts';
import type { EnvelopeSender } from '../../messaging/delivery.ts';
import { EpochJournal } from '../../messaging/epoch-journal.ts';
import { Inbox } from '../../messaging/inbox.ts';
import { Messages, type MessagesOptions } from '../../messaging/messages.ts';
import { outbox } from '../../messaging/records.ts';
import { SenderRates, textRatesOf } from '../../messaging/sender-rates.ts';
import { SigningGuard } from '../../messaging/signing-guard.ts';
import { SigningLock } from '../../messaging/signing-lock.ts';
import type { StrangerBound, StrangerShare } from '../../messaging/strangers.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { HostedIdentity } from '../../protocol/signer/agent-signer.ts';
import type { Space } from '../../storage/space.ts';
import type { Store } from '../../storage/store.ts';
import { DealBook } from '../deals/deal-book.ts';
import { type DealDocument, hasDeal } from '../deals/deal-document.ts';
import { dealEvent } from '../deals/deal-event-data.ts';
import { dealReceiveHooks } from '../deals/deal-rules.ts';
import { DealTimers } from '../deals/deal-timers.ts';
import { dealsSettings, partnerLimits } from '../deals/deals-config.ts';
import { Means } from '../deals/means.ts';
import { Negotiation } from '../deals/negotiation.ts';
import { Partners } from '../deals/partners.ts';
import { ExpectedBlobs, expecting } from '../deliveries/expected-blobs.ts';
import type { FetchPlaces } from '../deliveries/fetch-places.ts';
import type { KeptBlobs } from '../deliveries/kept-blobs.ts';
import type { BlobSource } from '../deliveries/providers.ts';
import type { PartnerKeys } from '../partner-keys.ts';
import type { NodeEvents } from '../services/node-events.ts';
import { NodeStrangers } from '../strangers.ts';
import { type Agent, createAgent } from './agent.ts';
import { agentListener, type EnvelopeCounters } from './agent-listener.ts';
import { AgentWallet, type WalletGround } from './agent-wallet.ts';
import { forwardReports, hasReports } from './forwarded-reports.ts';
import { HostedTerms, NO_WALLET } from './hosted-terms.ts';
import { spaceNameOf } from './resident-records.ts';

/** Bounds of one hosted agent. What all of them may take up together is in `AgentGround.strangers`. */
const LETTERS = { letters: 10_000, broadcasts: 1 };
/** Milliseconds from one look at deliveries that are due to the next. */
const FETCHING = 30_000;
const STRANGERS = { offers: 100, inboxBytes: 2 * 1024 * 1024 };

/** The part of a node that its agents share. */
export interface AgentGround {
  readonly store: Store;
  /** The node's own, to which reports go. */
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly envelopeSender: EnvelopeSender;
  readonly gate: MessagesOptions['gate'];
  readonly heirOf: NonNullable<MessagesOptions['heirOf']>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: Settings;
  readonly contracts: Contracts;
  readonly idempotency: IdempotencyStore;
  readonly kept: KeptBlobs;
  readonly blobSource: BlobSource;
  /** Of all hosted agents together: they take nothing from the node's own. */
  readonly fetchPlaces: FetchPlaces;
  /** Undefined on a node without a ledger. */
  readonly wallets: WalletGround | undefined;
  readonly slot: () => number;
  /** Rejects when this node may sign nothing now. */
  permit(): Promise<void>;
  readonly counters: EnvelopeCounters;
  readonly strangers: { readonly offers: StrangerShare; readonly letters: StrangerShare };
  readonly refusedStranger: (bound: StrangerBound) => void;
  readonly partnerKeys: PartnerKeys;
  /** Somebody else signs with the key of one of these agents, or did. */
  readonly foreign: () => void;
}

export interface SleepingAgent {
  readonly identity: HostedIdentity;
  /** Followed while the agent sleeps, too. */
  readonly events: NodeEvents;
  /** One of its deals waits for that moment, Unix milliseconds; Infinity when none does. */
  readonly due: (at: number) => void;
  /** The key that replaced that of this agent: nothing is signed any more. */
  readonly successor: () => string | undefined;
}

/** A hosted agent in memory. */
export interface AwakeAgent extends Agent {
  /** Moves the deals that are due now, and fetches deliveries. */
  lookAtDeals(): Promise<void>;
  /** Large deliveries to it. */
  readonly expected: ExpectedBlobs;
  readonly wallet: AgentWallet;
  /** Whether strangers take up some of its bounds. */
  readonly holdsStrangers: boolean;
  /** Whether envelopes wait to be sent, or reports to be handed on. */
  isBusy(): Promise<boolean>;
  close(): Promise<void>;
}

/** Reads an agent from the store. */
export async function wakeAgent(
  ground: AgentGround,
  { identity, events, due, successor }: SleepingAgent,
): Promise<AwakeAgent> {
  const { store, network, clock, settings } = ground;
  const self = identity.address;
  const space = store.space(spaceNameOf(identity.key));
  const log = ground.log.child({ agent: self });
  const stop = new AbortController();
  const journal = new EpochJournal({ space, clock, address: self, epochSecs: network.epochSecs });
  const halt = new SigningLock();
  // The node's own guard compares the clocks.
  const clockOffset = () => undefined;
  const guard = await SigningGuard.open({ journal, identity, network, halt, log, clockOffset, found: ground.foreign });
  const inbox = await Inbox.open(space, log, LETTERS);
  const strangers = await NodeStrangers.open({
    ...{ space, clock, inbox, limits: STRANGERS, refused: ground.refusedStranger },
    within: { ...ground.strangers, prefix: `${self} ` },
  });
  const timers = new DealTimers({ space, clock, log, changed: tell });
  function tell(document: DealDocument): void {
    events.emit('deal', undefined, dealEvent(document));
    void planned();
  }
  const { kept, blobSource: mesh, fetchPlaces: places, random } = ground;
  const fetching = { space, mesh, identity, kept, clock, random, log, places, hosted: true };
  const expected = new ExpectedBlobs({ ...fetching, moved: () => void planned() });
  async function planned(): Promise<void> {
    try {
      // A delivery that is due is being fetched already.
      const delivery = Math.max(await expected.next(), clock.now() + FETCHING);
      due(Math.min(await timers.next(), delivery));
    } catch (error) {
      if (!stop.signal.aborted) log.error({ error }, 'the next moment of the deals is not known');
    }
  }

  const shared: Pick<KeptBlobs, 'keep'> = { keep: (bytes, reader) => kept.keep(bytes, reader, { hosted: self }) };
  const core = { ...ground, kept: shared, space, identity, inbox, log };
  const messages = new Messages({
    ...core,
    strangers,
    hasDeal: (conversation) => hasDeal(space, conversation),
    rates: new SenderRates(clock, settings.mesh.senderRate),
    textRates: textRatesOf(clock, settings.mesh.senderMessages),
    report: settings.mesh.report,
    receiveHooks: { ...dealReceiveHooks, DELIVER: expecting(dealReceiveHooks.DELIVER) },
    async permit() {
      const heir = successor();
      if (heir !== undefined) throw new MeshError('agent_moved', `This agent goes on under the key ${heir}.`);
      await ground.permit();
      await guard.permit();
    },
    listener: agentListener({
      ...ground.counters,
      events,
      space,
      log,
      guard,
      self,
      moved: planned,
      delivered: () => expected.wake(),
    }),
  });
  await messages.start();

  const terms = new HostedTerms({ space, self, now: () => clock.now() });
  const limits = partnerLimits(dealsSettings(settings));
  const partners = new Partners({ space, self, now: () => clock.now(), limits });
  const means = new Means(undefined, NO_WALLET);
  const deals = new DealBook({ ...core, messages, changed: tell, partners, caps: terms, means });
  const agreeing: Pick<Partners, 'check'> = {
    async check(...given) {
      await terms.check(...given);
      await partners.check(...given);
    },
  };
  const forwarding = forwardReports(space, ground.space, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) log.error({ error }, 'reports are not handed on until the agent is read again');
  });
  const negotiation = new Negotiation({ ...core, deals, ledger: undefined, means, unlimited: settings.api.unlimited });
  return {
    ...createAgent({ ...core, messages, deals, negotiation, partners: agreeing, means, ledger: undefined }),
    lookAtDeals: async () => {
      await timers.look(stop.signal);
      expected.wake();
      await planned();
    },
    get holdsStrangers() {
      return strangers.hold;
    },
    expected,
    wallet: new AgentWallet({ ground: ground.wallets, space, identity, random, signal: stop.signal, log }),
    isBusy: async () => expected.isBusy || (await space.count(outbox, 'waiting')) > 0 || (await hasReports(space)),
    async close() {
      stop.abort();
      expected.close();
      messages.close();
      inbox.close();
      await forwarding;
    },
  };
}
