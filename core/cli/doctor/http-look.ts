import { readAtMost } from '../../client/read-at-most.ts';
import { messageOf } from '../../platform/problem.ts';
import { type ClockReading, clockOf } from './clock.ts';

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1024 * 1024;

/** One GET: what came, or why nothing did. */
export type Look =
  | { readonly status: number; readonly body: any; readonly clock: ClockReading | undefined }
  | { readonly why: string };

export async function look(base: string, path: string): Promise<Look> {
  const asked = Date.now();
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(base.replace(/\/$/, '') + path, { signal, redirect: 'manual' });
    const clock = clockOf(new URL(base).host, response, asked, Date.now());
    const text = new TextDecoder().decode(await readAtMost(response, MOST_BYTES));
    return { status: response.status, body: jsonOf(text), clock };
  } catch (error) {
    const { cause, name } = error as Error;
    const why = name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1_000} s` : messageOf(cause ?? error);
    return { why };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
