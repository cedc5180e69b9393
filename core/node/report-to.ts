import type { SchemaTypes } from '../../schemas/types.ts';
import { type ClientOptions, HttpCaller } from '../client/http-caller.ts';
import type { Post } from '../messaging/reporter.ts';

/** Posts reports to the first aggregator that answers. Without any, reports are settled by being dropped. */
export function reportTo(aggregators: readonly string[], means: Omit<ClientOptions, 'url'> = {}): Post {
  const callers = aggregators.map((url) => new HttpCaller({ timeout: 10_000, ...means, url }));
  return async (items) => {
    let failure: unknown;
    for (const caller of callers) {
      try {
        const { results } = await caller.post<SchemaTypes['ingest-reply']>('/ingest/envelopes', { items });
        return items.filter((_, index) => results[index]?.status === 'rate-limited');
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
    return [];
  };
}
