import { DurableIdempotency } from '../../http/durable-idempotency.ts';
import { IdempotencyStore, Store } from '../../internal-services.ts';
import { provider } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';

/** A name that no plugin can have. */
const SPACE = 'idempotent_calls';

/** Where answers to idempotent calls are kept: in the node's own store. */
export const idempotencyProvider = provider(IdempotencyStore, {
  uses: { store: Store, clock: Clock, random: Random },
  open({ store, clock, random }, { log, defer }) {
    const kept = new DurableIdempotency({ space: store.space(SPACE), clock, random, log });
    defer(() => kept.close());
    return kept;
  },
});
