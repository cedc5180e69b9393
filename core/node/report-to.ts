import type { SchemaTypes } from '../../schemas/types.ts';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { type ClientOptions, HttpCaller } from '../client/http-caller.ts';
import type { Settings } from '../internal-services.ts';
import type { Post } from '../messaging/reporter.ts';
import { fromBase64 } from '../platform/bytes.ts';
import { shownUrl } from '../platform/shown-url.ts';

export interface ReportOptions extends Omit<ClientOptions, 'url'> {
  /** Hears how each post ended: undefined when it was taken. */
  readonly posted: (aggregator: string, error: unknown) => void;
  /** Looks into an envelope that an aggregator holds under a nonce reported for another one. */
  readonly foreignReceipt: (receipt: Uint8Array, from: string) => void;
}

/** Posts reports to the first aggregator that answers. Without any, reports are settled by being dropped. */
export function reportTo(aggregators: readonly string[], { foreignReceipt, posted, ...means }: ReportOptions): Post {
  const callers = aggregators.map((url) => new HttpCaller({ timeout: 10_000, ...means, url }));
  return async (items) => {
    let failure: unknown;
    for (const caller of callers) {
      try {
        const { results } = await caller.post<SchemaTypes['ingest-reply']>('/ingest/envelopes', { items });
        for (const { held_b64 } of results) {
          const held = held_b64 === undefined ? undefined : fromBase64(held_b64);
          if (held) foreignReceipt(held, `aggregator ${shownUrl(caller.options.url)}`);
        }
        posted(caller.options.url, undefined);
        return items.filter((_, index) => results[index]?.status === 'rate-limited');
      } catch (error) {
        failure = error;
        posted(caller.options.url, error);
      }
    }
    if (failure !== undefined) throw failure;
    return [];
  };
}

/** The configured aggregators, to ask something that must not take long. */
export function aggregatorsOf({ mesh }: Settings, means: Pick<ClientOptions, 'clock' | 'fetch'>): AggregatorClient[] {
  return (mesh.aggregators ?? []).map((url) => new AggregatorClient({ timeout: 5_000, ...means, url }));
}
