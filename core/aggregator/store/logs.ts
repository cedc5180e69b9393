import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../platform/bytes.ts';
import { appendLog, counter } from '../../storage/declarations.ts';

export type StoredActivity = SchemaTypes['stored-activity'];
export type StoredInteraction = SchemaTypes['stored-interaction'];
export type StoredDispute = SchemaTypes['stored-dispute'];

/**
 * The public feed; ids are what clients page and resume by. Found by agent on either side, by conversation and by kind.
 * Events that were stored before they were found by these are in unfiltered pages only.
 */
export const activity = appendLog<StoredActivity>('activity', {
  schema: 'stored-activity',
  shared: true,
  postings: ({ event_type, agent_id, target_agent_id, conversation_id }) => {
    const sides = target_agent_id === undefined ? [agent_id] : [agent_id, target_agent_id];
    return [
      activityPosting({ type: event_type }),
      ...sides.map((agent) => activityPosting({ agent, type: event_type })),
      ...(conversation_id === undefined ? [] : [activityPosting({ conversation: conversation_id })]),
    ];
  },
});

/**
 * `conversation` stands alone: there are few events in one. Nor is there a posting for all events of an agent: every posting
 * costs at each event, and there are seven kinds to be read side by side when somebody asks.
 */
export function activityPosting(
  by: { readonly agent?: string; readonly type: StoredActivity['event_type'] } | { readonly conversation: string },
): string {
  return 'conversation' in by ? `#${by.conversation}` : `${by.agent ?? ''}/${by.type}`;
}

/** The id of an envelope as a member of a stored event: in base64, since logs keep every event for ever. */
export function keptId(envelopeId: string): { readonly envelope?: string } {
  const bytes = fromHex(envelopeId, 32);
  return bytes ? { envelope: toBase64(bytes) } : {};
}

/** The member of an event that clients get. */
export function shownId(envelope: string | undefined): { readonly envelope_id?: string } {
  const bytes = envelope === undefined ? undefined : fromBase64(envelope);
  return bytes ? { envelope_id: toHex(bytes) } : {};
}

/** Public envelopes that the handlers of plugins have yet to see; what they have seen is trimmed. */
export const unhandled = appendLog<SchemaTypes['unhandled-envelope']>('unhandled', { schema: 'unhandled-envelope' });

/** Every rating that counts, found by rater, by target, and by both. */
export const interactions = appendLog<StoredInteraction>('interactions', {
  schema: 'stored-interaction',
  postings: ({ sender, target_agent }) => [
    interactionPosting({ from: sender }),
    interactionPosting({ to: target_agent }),
    interactionPosting({ from: sender, to: target_agent }),
  ],
});

export function interactionPosting({ from = '', to = '' }: { from?: string; to?: string }): string {
  return `${from}>${to}`;
}

/** Found by the agent they were raised against, and by who raised them; those of earlier versions by the first alone. */
export const disputes = appendLog<StoredDispute>('disputes', {
  schema: 'stored-dispute',
  postings: ({ sender, disputed_agent }) => [disputed_agent, raisedPosting(sender)],
});

export function raisedPosting(agentId: string): string {
  return `${agentId}>`;
}

export const agentCount = counter('agent-count');
export const interactionCount = counter('interaction-count');
/** Deals that both sides signed. */
export const dealCount = counter('deal-count');
export const beaconCount = counter('beacon-count');
/** Minor units that escrows paid to providers. */
export const paidTotal = counter('paid-total');
