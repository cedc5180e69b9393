import type { SchemaTypes } from '../../schemas/types.ts';
import { broadcasts, letters } from '../messaging/inbox-records.ts';
import { EVERYBODY } from '../messaging/outbox-entry.ts';
import { idPosting, outbox } from '../messaging/records.ts';
import { fromBase64, isZero } from '../platform/bytes.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { Space } from '../storage/space.ts';

type Trace = SchemaTypes['envelope-trace'];

/** The way of an envelope this node has sent, or received and not yet forgotten. */
export async function traceOf(space: Space, id: string): Promise<Trace | undefined> {
  const sent = await space.get(outbox.ref(id));
  if (sent) {
    const { msg_type, sealed = false, sender, recipient, conversation_id, status, hops } = sent;
    const head = { envelope_id: id, direction: 'out', msg_type, sealed, sender, conversation_id, status } as const;
    return { ...head, recipient: recipient === EVERYBODY ? null : recipient, hops: hops.map(hopJson) };
  }
  for (const log of [letters, broadcasts]) {
    const [received] = await space.page(log, { posting: idPosting(id), limit: 1 });
    if (received) return receivedTrace(id, received.record);
  }
  return undefined;
}

function receivedTrace(id: string, record: SchemaTypes['inbox-record']): Trace | undefined {
  const decoded = decodeEnvelope(fromBase64(record.bytes)!);
  if (!decoded.ok) return undefined;
  const { sealed, sender, recipient } = decoded.value;
  return {
    envelope_id: id,
    direction: 'in',
    msg_type: record.msg_type,
    sealed,
    sender: formatAgentId(sender),
    recipient: isZero(recipient) ? null : formatAgentId(recipient),
    conversation_id: record.conversation_id,
    status: 'received',
    hops: [hopJson({ at: record.received_at, event: 'journaled' })],
  };
}

function hopJson(hop: SchemaTypes['hop']): Trace['hops'][number] {
  return { ...hop, at: new Date(hop.at).toISOString() };
}
