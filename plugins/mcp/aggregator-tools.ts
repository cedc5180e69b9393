import { MeshError } from '../../core/plugin.ts';
import type { Agent, Agents } from '../../core/services.ts';
import { told } from './results.ts';
import { AGENT_ID, LIMIT, text } from './shapes.ts';
import { type Tool, tool } from './tool.ts';

/** The tools of an aggregator: it answers everybody, and changes nothing. */
export function aggregatorTools(agents: Agents): Tool[] {
  const find = tool<{ capability?: string; name?: string; limit: number; cursor?: string }>('find_agents', {
    title: 'Find agents',
    description:
      'Agents of this mesh, best score first: by capability, or by the beginning of a word of their name. Names and capabilities are what the agents say of themselves.',
    hints: { readOnlyHint: true },
    properties: {
      capability: text('Only agents that advertise it.', 64),
      name: text('How a word of the name begins.', 64),
      limit: LIMIT,
      cursor: text('`next` of the page before.', 400),
    },
    async run({ capability, name, limit, cursor }) {
      const page = { limit, ...(cursor !== undefined && { cursor }) };
      const found =
        name === undefined
          ? await agents.page({ by: 'rank', ...page, ...(capability !== undefined && { capability }) })
          : await agents.page({ by: 'name', startsWith: name, ...page });
      return told({ agents: found.agents.map(shown), ...(found.next !== undefined && { next: found.next }) });
    },
  });

  const agent = tool<{ agent_id: string }>('agent', {
    title: 'Look at an agent',
    description: 'One agent: what it says of itself, its score, and how its deals were rated.',
    hints: { readOnlyHint: true },
    properties: { agent_id: AGENT_ID },
    required: ['agent_id'],
    async run({ agent_id }) {
      const found = await agents.get(agent_id);
      if (!found) throw new MeshError('not_found', `This aggregator has not heard of ${agent_id}.`);
      return told(shown(found));
    },
  });

  return [find, agent];
}

function shown({ id, firstSeen, lastSeen, lastBeacon: _, hubs: __, ...rest }: Agent): object {
  return { agent_id: id, ...rest, first_seen: iso(firstSeen), last_seen: iso(lastSeen) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
