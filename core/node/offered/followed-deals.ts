import type { Log } from '../../platform/log.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import type { NodeEvents } from '../services/node-events.ts';

export interface FollowedDealsOptions {
  readonly events: NodeEvents;
  readonly find: (conversationId: string) => Promise<DealDocument | undefined>;
  readonly log: Log;
  /** Aborted when the node stops. */
  readonly signal: AbortSignal;
}

/**
 * Tells of the deals that change, one at a time. Those that wait are kept by id alone and read when their turn comes, so a slow
 * follower costs no more than the ids of the deals that changed.
 */
export function followDeals(
  { events, find, log, signal }: FollowedDealsOptions,
  told: (document: DealDocument) => void | Promise<void>,
): () => void {
  const waiting = new Set<string>();
  let telling = false;
  let ended = false;

  async function tell(): Promise<void> {
    if (telling) return;
    telling = true;
    for (const conversation of waiting) {
      waiting.delete(conversation);
      try {
        const document = await find(conversation);
        if (ended) break;
        if (document) await told(document);
      } catch (error) {
        log.error({ conversation, reason: String(error) }, 'a follower of the deals failed');
      }
      if (ended) break;
    }
    telling = false;
  }

  const unwatch = events.watch(({ values }) => {
    for (const { type, data } of values) {
      if (type === 'deal' && 'conversation_id' in data) waiting.add(String(data.conversation_id));
    }
    void tell();
  });
  function end(): void {
    ended = true;
    unwatch();
    signal.removeEventListener('abort', end);
  }
  signal.addEventListener('abort', end, { once: true });
  return end;
}
