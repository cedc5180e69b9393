import type { SchemaTypes } from '../../schemas/types.ts';
import { collection, counter } from '../storage/declarations.ts';
import type { StoredAnswer } from './idempotency.ts';

export type CallRecord = SchemaTypes['call-record'];

/**
 * Calls by operation. One that was answered stays until it is swept out; one that is not, because its process died,
 * goes by itself after a day.
 */
export const calls = collection<CallRecord, 'answered'>('calls', {
  schema: 'call-record',
  indexes: { answered: ({ answered, until }) => (answered ? [until] : undefined) },
});

/** Calls by the one-request credential that they used; each is kept until its credential could not be used anyway. */
export const credentials = collection<SchemaTypes['used-credential']>('credentials', { schema: 'used-credential' });

/** The bytes of all answers that are kept. */
export const answerBytes = counter('answer-bytes');

/** Answers with larger bodies are not kept; what is kept of their call is that it was answered. */
const LARGEST_ANSWER = 256 * 1024;

/** The part of an answer that is kept. */
export function keptAnswer({ status, headers, body }: StoredAnswer): Pick<CallRecord, 'bytes' | 'answer'> {
  const bytes = Buffer.byteLength(body ?? '');
  if (bytes > LARGEST_ANSWER) return { bytes: 0 };
  const text = typeof body === 'string' && { text: body };
  const base64 = body instanceof Buffer && { base64: body.toString('base64') };
  return { bytes, answer: { status, headers: { ...headers }, ...text, ...base64 } };
}

export function storedAnswer({ answer }: CallRecord): StoredAnswer | undefined {
  if (!answer) return undefined;
  const { status, headers, text, base64 } = answer;
  return { status, headers, body: base64 === undefined ? text : Buffer.from(base64, 'base64') };
}
