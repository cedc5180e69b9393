import type { LaneName } from '../lanes.ts';
import type { Device } from '../records.ts';

/** The fate of a push. */
export type Outcome =
  | { readonly result: 'sent'; readonly ticket?: string }
  /** The token leads to no device any more. */
  | { readonly result: 'gone' }
  /** Not now; milliseconds until it may be tried again, where the provider says so. `ofDevice`: others are pushed to meanwhile. */
  | { readonly result: 'later'; readonly reason: string; readonly after?: number; readonly ofDevice?: true }
  /** Never like this: the provider refuses the push or our credentials. */
  | { readonly result: 'refused'; readonly reason: string };

/** One service that wakes devices. */
export interface PushProvider {
  readonly name: Device['provider'];
  /** Whether a token looks like one of this service. */
  recognises(token: string): boolean;
  /** Rejects with `invalid_request` at /push_token for a token that can never be pushed to. */
  check(token: string): Promise<void>;
  /** Calls with the same lane wait for each other: those to one webhook's host, or to one service. */
  laneOf(token: string): LaneName;
  /** A push that nobody sees, with no more in it than the agent's id. Never rejects for what the service does. */
  wake(token: string, agentId: string, signal: AbortSignal): Promise<Outcome>;
  /** The fate of a push that was taken, where the service tells later; undefined while it is not known. */
  became?(ticket: string, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** The whole content of a push. */
export function wakeData(agentId: string): { readonly type: 'wake'; readonly agent_id: string } {
  return { type: 'wake', agent_id: agentId };
}

/** Milliseconds that a push may take. */
export const TIMEOUT = 10_000;

const LONGEST_WAIT = 3_600_000;

/** The meaning of a status where the service says no more about it. */
export function outcomeOf(status: number, headers: Headers): Outcome {
  if (status >= 200 && status <= 299) return { result: 'sent' };
  const reason = `status ${status}`;
  if (status === 404 || status === 410) return { result: 'gone' };
  if (status !== 429 && status < 500) return { result: 'refused', reason };
  const after = Number(headers.get('retry-after') ?? Number.NaN) * 1000;
  return { result: 'later', reason, ...(after > 0 && { after: Math.min(after, LONGEST_WAIT) }) };
}
