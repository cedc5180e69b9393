import type { Inbound } from '../messaging/inbound.ts';
import type { MessagesListener } from '../messaging/messages.ts';
import type { NewestReceipts } from '../messaging/newest-receipts.ts';
import { toBase64 } from '../platform/bytes.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isBroadcast } from '../protocol/envelopes/message-types.ts';
import type { BeaconPayload } from '../protocol/envelopes/payloads/payloads.ts';
import type { Space } from '../storage/space.ts';
import { noteReceipt } from './agents/agent-listener.ts';
import { deals } from './deals/deal-document.ts';
import { dealEvent } from './deals/deal-event-data.ts';
import { isDealMessage } from './deals/deal-events.ts';
import type { HeardBroadcasts } from './services/broadcasts.ts';
import type { NodeEvents } from './services/node-events.ts';
import type { PeerDirectory } from './services/peers.ts';
import type { TopicSubscriptions } from './topics.ts';

export interface NodeListenerOptions {
  readonly events: NodeEvents;
  readonly peers: PeerDirectory;
  readonly topics: TopicSubscriptions;
  readonly heard: HeardBroadcasts;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly self: string;
  readonly space: Space;
  readonly newest: NewestReceipts;
  readonly foreignReceipt: MessagesListener['foreignReceipt'];
  /** An envelope came that is not kept. */
  readonly unstored: (message: Inbound) => void;
  /** A peer has told where it can be dialled. */
  readonly beaconed: (peer: string, beacon: BeaconPayload) => Promise<void>;
  /** A message of a deal was taken. */
  readonly dealMoved: () => void;
  /** A DELIVER was taken. */
  readonly delivered: () => void;
}

/** Does the rest about envelopes beyond keeping them: counts, events, the address book, the plugins' handlers. */
export function nodeListener(options: NodeListenerOptions): MessagesListener {
  const { events, peers, topics, heard, metrics, log, self, space, newest, beaconed, unstored, dealMoved, delivered } =
    options;
  const taken = metrics.counter('mesh_envelopes_taken_total', 'Envelopes taken, by message type.', ['msg_type']);
  const refused = metrics.counter('mesh_envelopes_refused_total', 'Envelopes refused, by reason.', ['reason']);
  const ended = metrics.counter('mesh_outbox_ended_total', 'Envelopes that left the outbox, by status.', ['status']);

  function receiptOf(key: string): string | undefined {
    const receipt = newest.of(key);
    return receipt && toBase64(receipt);
  }

  async function tellDeal(conversation: string): Promise<void> {
    const document = events.watched && (await space.get(deals.ref(conversation)));
    if (document) events.emit('deal', undefined, dealEvent(document));
  }

  return {
    taken(message, cursor) {
      const { msgType } = message.envelope;
      taken({ msg_type: msgType });
      newest.note(message.envelope);
      events.emit('envelope', message.sender, {
        direction: 'in',
        msg_type: msgType,
        envelope_id: message.id,
        conversation_id: message.conversationId,
        slot: message.envelope.blockRef,
        ...(cursor !== undefined && { cursor }),
      });
      if (isDealMessage(msgType)) {
        dealMoved();
        if (msgType === 'DELIVER') delivered();
        tellDeal(message.conversationId).catch((error: unknown) => log.error({ error }, 'a deal was not told of'));
      }
      if (message.payload.msgType === 'ADVERTISE') {
        const sentAt = Math.floor(message.envelope.timestamp / 1_000);
        peers
          .advertised(message.sender, sentAt, message.payload.value)
          .catch((error: unknown) => log.error({ error }, 'an ADVERTISE was not noted'));
      }
      if (isBroadcast(msgType)) heard.tell(message);
      if (cursor === undefined) unstored(message);
    },
    refused(reason, detail) {
      refused({ reason });
      log.debug({ reason, detail }, 'envelope refused');
    },
    foreignReceipt: options.foreignReceipt,
    overhear({ payload, sender, envelope }) {
      // Ratings of others are the aggregator's business; what concerns this agent stays in its inbox.
      if (payload.msgType === 'FEEDBACK') return payload.value.target_agent !== self;
      // A hub passes on what this agent has not asked for.
      if (payload.msgType === 'BROADCAST') return !topics.hears(payload.value.topic);
      if (payload.msgType !== 'BEACON') return false;
      const sentAt = Math.floor(envelope.timestamp / 1_000);
      newest.note(envelope);
      peers
        .heard(sender, sentAt, payload.value, receiptOf)
        .then(() => beaconed(sender, payload.value))
        .catch((error: unknown) => log.error({ error }, 'a BEACON was not kept'));
      return true;
    },
    outbox(id, entry) {
      if (entry.status !== 'queued') ended({ status: entry.status });
      const { msg_type, status, conversation_id } = entry;
      if (msg_type === 'DELIVER' && status === 'delivered')
        noteReceipt(space, conversation_id, id).catch((error: unknown) =>
          log.error({ error }, 'a receipt was not noted'),
        );
      events.emit('envelope', self, { direction: 'out', msg_type, envelope_id: id, conversation_id, status });
    },
  };
}
