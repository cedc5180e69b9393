import { fromHex, toHex } from '../../../platform/bytes.ts';
import { decoded, refused } from '../../../platform/decoded.ts';
import { formatAgentId, NO_AGENT, parseAgentId } from '../../identity/ids.ts';
import { CborReader } from '../cbor-reader.ts';
import { CborWriter } from '../cbor-writer.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { agentId, choice, conversationId, flag, integer } from './fields.ts';
import type { FeedbackPayload } from './payloads.ts';
import { record, type Shape, where } from './shape.ts';

const NOBODY = formatAgentId(NO_AGENT);

const feedback: Shape<FeedbackPayload> = record({
  conversation_id: conversationId,
  target_agent: where(agentId, 'be an agent', (id) => id !== NOBODY),
  score: integer(-100, 100),
  outcome: choice(0, 1, 2),
  is_dispute: flag,
  role: choice(0, 1),
});

/** A CBOR array of six. */
export const feedbackPayload: PayloadCodec<FeedbackPayload> = payloadCodec(feedback, {
  write(value) {
    const writer = new CborWriter(64);
    writer.array(6);
    writer.bytes(fromHex(value.conversation_id, 16)!);
    writer.bytes(parseAgentId(value.target_agent)!);
    writer.int(value.score);
    writer.uint(value.outcome);
    writer.boolean(value.is_dispute);
    writer.uint(value.role);
    return writer.finish();
  },
  read(body) {
    const reader = new CborReader(body);
    reader.array(6, 'the payload');
    const conversation = reader.bytes(16, 'conversation_id');
    const target = reader.bytes(32, 'target_agent');
    const score = reader.int(100, 'score');
    const outcome = reader.uint(2, 'outcome');
    const isDispute = reader.boolean('is_dispute');
    const role = reader.uint(1, 'role');
    const problem = reader.end();
    if (problem !== undefined) return refused(problem);
    return decoded({
      conversation_id: toHex(conversation),
      target_agent: formatAgentId(target),
      score,
      outcome,
      is_dispute: isDispute,
      role,
    });
  },
});
