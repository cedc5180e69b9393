import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { capabilities } from '../store/capabilities.ts';
import { recount } from './counting.ts';

/** Looked for once; what an older store holds is counted within seconds of the start. */
const RECOUNT_MS = 3_600_000;

/** Lists the capabilities that agents announce, and how many announce each. */
export const capabilitiesFace = defineFace({
  uses: { store: Store },
  routes: {
    list_capabilities: route('GET /capabilities', {
      auth: 'open',
      summary:
        'Capabilities that agents advertise, with how many agents have each: the most common first, or by the beginning of the name',
      query: 'capabilities-query',
      reply: 'capability-counts',
      limit: READS,
    }),
  },
  setup({ store }) {
    const space: Space = store.space(SPACE);
    return {
      routes: {
        list_capabilities: async ({ query: { q, limit = 50, offset = 0 } }) => {
          const part = { limit, ...(offset > 0 && { offset }) };
          const rows =
            q === undefined
              ? await space.page(capabilities, { index: 'most', ...part })
              : await space.page(capabilities, { index: 'name', startsWith: q.toLowerCase(), ...part });
          return rows.map(({ value }) => value);
        },
      },
      jobs: [
        {
          name: 'recount',
          every: RECOUNT_MS,
          first: 0,
          once: true,
          run: (signal: AbortSignal) => recount(space, signal),
        },
      ],
    };
  },
});
