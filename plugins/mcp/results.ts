import type { CallToolResult } from '@modelcontextprotocol/server';
import { isMeshError } from '../../core/plugin.ts';

/** The text of a result beyond which a model is told less. */
const MOST_TEXT = 256 * 1024;

/** A value for programs, and the same as text for models. */
export function told(value: object): CallToolResult {
  const text = JSON.stringify(value);
  if (text.length > MOST_TEXT) {
    const detail = `This would be ${text.length} characters; ask for fewer with limit.`;
    return refused({ code: 'payload_too_large', detail });
  }
  return { content: [{ type: 'text', text }], structuredContent: value as Record<string, unknown> };
}

/** An error in words that a model can act on. */
export function refused(problem: { readonly code: string; readonly detail: string }): CallToolResult {
  return { ...told(problem), isError: true };
}

/** Every refusal of the node becomes a result; a fault is thrown on, so that the log has it. */
export function refusalOf(error: unknown): CallToolResult {
  if (!isMeshError(error)) throw error;
  const { code, message, details } = error;
  return refused({
    ...details.extra,
    ...{ code, detail: message },
    ...(details.fields && { fields: details.fields }),
    ...(details.retryAfter !== undefined && { retry_after_secs: details.retryAfter }),
  });
}
