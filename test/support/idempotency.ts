import { DurableIdempotency } from '../../core/http/durable-idempotency.ts';
import { IdempotencyStore } from '../../core/internal-services.ts';
import { provider } from '../../core/provider.ts';
import { Clock, Random } from '../../core/services.ts';
import { openTestStore } from './space.ts';

/** Keeps answers in memory, for nodes without a store of their own. */
export const memoryIdempotency = provider(IdempotencyStore, {
  uses: { clock: Clock, random: Random },
  async open({ clock, random }, { log, defer }) {
    const store = await openTestStore({ clock });
    const kept = new DurableIdempotency({ space: store.space('calls'), clock, random, log });
    defer(() => store.close());
    defer(() => kept.close());
    return kept;
  },
});
