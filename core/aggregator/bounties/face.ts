import type { SchemaTypes } from '../../../schemas/types.ts';
import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { agents } from '../store/agents.ts';
import { bounties, type StoredBounty } from '../store/bounties.ts';
import { isoTime, momentOf } from '../times.ts';

/** Work that agents offer to anybody. */
export const bountiesFace = defineFace({
  uses: { store: Store },
  routes: {
    list_bounties: route('GET /bounties', {
      auth: 'open',
      summary: 'Open bounties, newest first: work that an agent offers to anybody who can do it',
      query: 'bounties-query',
      reply: 'bounties',
      limit: READS,
    }),
  },
  setup({ store }) {
    const space: Space = store.space(SPACE);
    return {
      routes: {
        list_bounties: async ({ query: { capability, limit = 50, offset = 0 } }) => {
          const part = { limit, ...(offset > 0 && { offset }) };
          const rows =
            capability === undefined
              ? await space.page(bounties, { index: 'recent', ...part })
              : await space.page(bounties, { index: 'capability', prefix: [capability.toLowerCase()], ...part });
          const offering = await space.getMany(rows.map(({ value }) => agents.ref(value.agent_id)));
          return rows.map(({ value }, index) => bountyView(value, offering[index]?.name ?? ''));
        },
      },
    };
  },
});

function bountyView(bounty: StoredBounty, name: string): SchemaTypes['bounty'] {
  const { envelope_id, agent_id, conversation_id, required_capability, max_budget_usd, task_summary } = bounty;
  return {
    ...{ envelope_id, agent_id, sender: agent_id, name },
    ...{ required_capability, max_budget_usd, task_summary, conversation_id },
    deadline_at: isoTime(bounty.deadline),
    slot: bounty.slot,
    ...momentOf(bounty.at),
  };
}
