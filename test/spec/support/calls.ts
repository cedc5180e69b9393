import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import type { Answer, Member } from '../../support/mesh.ts';

export const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');

/** The body of a call that was taken. */
export function taken(answer: Answer): any {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A call was refused by this field, which says what fits. */
export function refused(answer: Answer, pointer: string, message: RegExp): void {
  assert.deepEqual([answer.status, answer.body.fields?.[0]?.pointer], [400, pointer], JSON.stringify(answer.body));
  assert.match(answer.body.fields[0].message, message);
}

export const send = (from: Member, body: object) => from.post('/envelopes/send', body);

/** The newest frame of a type in a conversation, once it is in the inbox. */
export function newest(of: Member, conversation: string, type: string): Promise<any> {
  return happens(`${type} at ${of.name}`, async () => {
    const { frames } = await of.client.inboxPage({ conversation_id: conversation, limit: 200 });
    return frames.findLast(({ msg_type }) => msg_type === type) as any;
  });
}
