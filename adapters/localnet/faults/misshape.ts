import { RPC_CODES } from '../rpc-error.ts';
import type { FaultRule } from './plan.ts';

/** The answer that goes back to a caller. */
export interface Reply {
  readonly text: string;
  /** HTTP status; 200 unless given. */
  readonly status?: number;
  readonly contentType?: string;
  readonly retryAfter?: number;
  /** It waits for so many milliseconds. */
  readonly afterMs?: number;
  /** Instead of an end: the connection is closed in the middle of the text, reset, or left open without an answer. */
  readonly ending?: 'cut' | 'reset' | 'silence';
}

/** An answer of JSON-RPC before it is spoilt. */
export interface Answered {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const NODE_BEHIND = -32005;
const HUGE = 48 * 1024 * 1024;
const HTML = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>cloudfront</body></html>';

/** The answer as a rule lets it arrive. `previous` is what the method answered the time before. */
export function misshape(rule: FaultRule, answered: Answered, previous: unknown): Reply {
  const { id, result = null } = answered;
  const json = (body: object): Reply => ({ text: JSON.stringify({ jsonrpc: '2.0', id, ...body }) });
  const whole = JSON.stringify({ jsonrpc: '2.0', ...answered });
  switch (rule.fault) {
    case 'preflight':
      return json({ error: preflightError() });
    case 'error':
      return json({ error: { code: rule.code ?? NODE_BEHIND, message: rule.message ?? 'Node is behind' } });
    case 'status': {
      const { status = 503, retryAfter } = rule;
      const text = status === 429 ? 'Too many requests' : 'Service unavailable';
      return { text, status, contentType: 'text/plain', ...(retryAfter !== undefined && { retryAfter }) };
    }
    case 'timeout':
      return { text: '', ending: 'silence', afterMs: rule.ms ?? 60_000 };
    case 'reset':
      return { text: '', ending: 'reset' };
    case 'rolled-back': // sendTransaction has seen to it
    case 'delay':
      return { text: whole, afterMs: rule.ms ?? (rule.fault === 'delay' ? 1_000 : 0) };
    case 'cut':
      return { text: whole.slice(0, whole.length / 2), ending: 'cut' };
    case 'empty':
      return { text: '' };
    case 'html':
      return { text: HTML, contentType: 'text/html' };
    case 'null':
      return json({ result: null });
    case 'type':
      return json({ result: otherType(result) });
    case 'no-context':
      return json({ result: isObject(result) && 'context' in result ? { value: result['value'] } : result });
    case 'wrong-id':
      return { text: JSON.stringify({ jsonrpc: '2.0', ...answered, id: typeof id === 'number' ? id + 1 : 'another' }) };
    case 'duplicate':
      return { text: `${whole.slice(0, -1)},"id":${JSON.stringify(id)},"result":null}` };
    case 'number-as-text':
      return json({ result: numbersAsText(result) });
    case 'huge':
      return json({ result: 'x'.repeat(rule.bytes ?? HUGE) });
    case 'previous':
      return json({ result: previous === undefined ? result : previous });
  }
}

function preflightError(): object {
  const data = { accounts: null, err: 'BlockhashNotFound', innerInstructions: null, logs: [], unitsConsumed: 0 };
  return { code: RPC_CODES.preflightFailed, message: 'Transaction simulation failed: Blockhash not found', data };
}

/** The answer where its value has another type: text for objects and lists, a list for everything else. */
function otherType(result: unknown): unknown {
  if (isObject(result) && 'context' in result) return { ...result, value: otherType(result['value']) };
  return typeof result === 'object' && result !== null ? 'ok' : [result];
}

function numbersAsText(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(numbersAsText);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbersAsText(member)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
