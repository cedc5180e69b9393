import { guardedToken } from '../platform/token.ts';

export interface AggregatorPost {
  /** One of `urls`. */
  readonly url: string;
  /** An absolute path without a query, such as `/sponsor/fee-share-config`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body: object;
  /** Makes a repeated call harmless where the aggregator takes keys; one is made up unless given. */
  readonly idempotencyKey?: string;
}

export interface AggregatorRead {
  /** One of `urls`. */
  readonly url: string;
  /** An absolute path without a query, such as `/agents/search`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

export interface AggregatorCall {
  /** GET unless there is a body. */
  readonly method?: 'GET' | 'POST';
  /** An absolute path with its query, such as `/agents/…/pending?lease=60`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Carries a token that this agent signed for this one request. */
  readonly signed?: boolean;
  /** Milliseconds for the whole answer; 10 000 unless given. */
  readonly timeout?: number;
}

export interface AggregatorAnswer {
  readonly status: number;
  /** The JSON of the answer, of at most 16 MiB; not checked. Undefined when there is none. */
  readonly body: unknown;
}

/**
 * Calls of this node to the aggregators of its configuration, each `post` signed by the agent for this one request, as routes with the
 * guard `agent` ask for. Nodes only; needs `aggregators:<path>` for each path, or `aggregators:*`.
 */
export interface AggregatorCalls {
  /** The aggregators of this node, in the order of its configuration. */
  readonly urls: readonly string[];
  /** The same of a read that everybody may make; it is not signed. */
  get(read: AggregatorRead): Promise<unknown>;
  /**
   * The JSON of a 2xx answer, which is the word of a stranger: check its shape. Rejects with `rate_limited` for 429, and with `upstream_failed`
   * for any other answer, with `upstream_status` and `upstream_code`, and where nobody answered.
   */
  post(call: AggregatorPost): Promise<unknown>;
  /** Any call, answered whatever the status. Rejects with `upstream_failed` when no whole answer came. */
  call(url: string, call: AggregatorCall): Promise<AggregatorAnswer>;
}

export const AggregatorCalls = guardedToken<AggregatorCalls>('aggregator-calls', 'aggregators:');
