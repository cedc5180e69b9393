import type { Envelope } from './envelope.ts';
import { MESSAGE_TYPES, messageType } from './message-types.ts';
import { decodePayload } from './payloads/codecs.ts';

const TAKEN: ReadonlySet<string> = new Set(
  MESSAGE_TYPES.flatMap((type) => (type.route === 'broadcast' && type.topic !== 'named' ? [type.topic] : [])),
);

/** Whether a BROADCAST may have this topic: the topics of the other broadcast types are theirs alone. */
export function isOpenTopic(topic: string): boolean {
  return !TAKEN.has(topic);
}

/** The topic that a broadcast travels under; undefined when it has none, and for envelopes to one agent. */
export function topicOf(envelope: Envelope): string | undefined {
  const type = messageType(envelope.msgType);
  if (type.route !== 'broadcast') return undefined;
  if (type.topic !== 'named') return type.topic;
  const payload = decodePayload(envelope);
  if (!payload.ok || payload.value.msgType !== 'BROADCAST') return undefined;
  const { topic } = payload.value.value;
  return isOpenTopic(topic) ? topic : undefined;
}
