import { invalidField } from '../../contracts/errors.ts';
import { RateLimiter } from '../../http/limits.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, History } from '../../services.ts';
import { draftOf } from '../history/draft.ts';
import { addEntry, historyRef } from '../history/entries.ts';
import { STEPS } from '../limits.ts';
import { NodeSpace } from '../services/messaging.ts';
import { requirePermission } from './require-permission.ts';

/** Lets plugins write into the history of the agent's money what they did themselves. */
export const historyProvider = provider(History, {
  uses: { space: NodeSpace, clock: Clock },
  open({ space, clock }) {
    const limiter = new RateLimiter(STEPS, clock);
    return new PerPlugin<History>((asker) => ({
      async add(event) {
        requirePermission(asker, 'money:spend');
        if (typeof event?.key !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(event.key))
          throw invalidField('/key', 'must be 1 to 128 printable ASCII characters');
        const draft = { ...draftOf(event), source: asker.name };
        limiter.take(asker.name);
        const name = `plugin/${asker.name}/${event.key}`;
        const ref = historyRef(name);
        await space.tx([ref], (tx) => {
          if (!tx.get(ref)) addEntry(tx, name, draft, event.signature ?? null);
        });
      },
    }));
  },
});
