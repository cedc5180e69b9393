import type { MessagesListener } from '../../messaging/messages.ts';
import type { SigningGuard } from '../../messaging/signing-guard.ts';
import type { Log } from '../../platform/log.ts';
import type { Count, Metrics } from '../../platform/metrics.ts';
import type { Space } from '../../storage/space.ts';
import { deals, withFindings } from '../deals/deal-document.ts';
import { dealEvent } from '../deals/deal-event-data.ts';
import { isDealMessage } from '../deals/deal-events.ts';
import type { NodeEvents } from '../services/node-events.ts';

/** Envelopes of all agents of this node but its own. */
export interface EnvelopeCounters {
  readonly taken: Count;
  readonly refused: Count;
  readonly ended: Count;
}

export function envelopeCounters(metrics: Metrics): EnvelopeCounters {
  return {
    taken: metrics.counter('mesh_hosted_envelopes_taken_total', 'Envelopes that hosted agents took, by type.', [
      'msg_type',
    ]),
    refused: metrics.counter('mesh_hosted_envelopes_refused_total', 'Envelopes refused for hosted agents.', ['reason']),
    ended: metrics.counter('mesh_hosted_outbox_ended_total', 'Envelopes that left their outboxes, by status.', [
      'status',
    ]),
  };
}

export interface AgentListenerOptions extends EnvelopeCounters {
  readonly events: NodeEvents;
  readonly space: Space;
  readonly log: Log;
  readonly guard: SigningGuard;
  readonly self: string;
  /** A message of a deal was taken. */
  readonly moved: () => void;
  /** A DELIVER was taken. */
  readonly delivered: () => void;
}

/** Answers the envelopes of a hosted agent beyond keeping them. */
export function agentListener(options: AgentListenerOptions): MessagesListener {
  const { taken, refused, ended, events, space, log, guard, self, moved, delivered } = options;

  async function tellDeal(conversation: string): Promise<void> {
    const document = events.watched && (await space.get(deals.ref(conversation)));
    if (document) events.emit('deal', undefined, dealEvent(document));
  }

  return {
    taken({ envelope: { msgType }, conversationId }) {
      taken({ msg_type: msgType });
      if (!isDealMessage(msgType)) return;
      moved();
      if (msgType === 'DELIVER') delivered();
      tellDeal(conversationId).catch((error: unknown) => log.error({ error }, 'a deal was not told of'));
    },
    refused(reason, detail) {
      refused({ reason });
      log.debug({ reason, detail }, 'envelope refused');
    },
    foreignReceipt: (receipt, from) => guard.foreignReceipt(receipt, from),
    overhear: () => false,
    outbox(id, { status, msg_type, conversation_id }) {
      if (status !== 'queued') ended({ status });
      if (msg_type === 'DELIVER' && status === 'delivered')
        noteReceipt(space, conversation_id, id).catch((error: unknown) =>
          log.error({ error }, 'a receipt was not noted'),
        );
      events.emit('envelope', self, { direction: 'out', msg_type, envelope_id: id, conversation_id, status });
    },
  };
}

/** The provider may have to show that its work arrived. */
export async function noteReceipt(space: Space, conversation: string, delivery: string): Promise<void> {
  const ref = deals.ref(conversation);
  await space.tx([ref], (tx) => {
    const document = tx.get(ref);
    if (document?.deal.delivery?.id === delivery) tx.put(ref, withFindings(document, { delivery, received: true }));
  });
}
