/**
 * The marks that functions of the contract put on the values they make. No JSON carries a symbol, so nothing that a client or another
 * machine said is taken for an answer, a redirect or a frame of ours. Two copies of this package have the same symbols.
 */
export const ANSWER: unique symbol = Symbol.for('agent-mesh/http/answer');
export const PREPARED_JSON: unique symbol = Symbol.for('agent-mesh/http/prepared-json');
export const REDIRECT: unique symbol = Symbol.for('agent-mesh/http/redirect');
export const SERVER_EVENT: unique symbol = Symbol.for('agent-mesh/http/server-event');
export const SHARED_FRAME: unique symbol = Symbol.for('agent-mesh/http/shared-frame');

export function isMarked(value: unknown, mark: symbol): value is object {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === true;
}
