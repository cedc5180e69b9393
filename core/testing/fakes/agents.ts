import type { Agent, AgentQuery, Agents } from '../../services.ts';

/** `value(Agents, fakeAgents(rows))`: these rows in the order of each list, by brute force. `hosted` says how many agents each host has. */
export function fakeAgents(rows: readonly Agent[], hosted: Readonly<Record<string, number>> = {}): Agents {
  return {
    hostedBy: async (id) => hosted[id] ?? 0,
    get: async (id) => rows.find((row) => row.id === id),
    async page({ limit = 50, cursor = '0', ...query }) {
      const found = listOf(rows, query as AgentQuery);
      const from = Number(cursor);
      const next = from + limit < found.length ? String(from + limit) : undefined;
      return { agents: found.slice(from, from + limit), ...(next !== undefined && { next }) };
    },
  };
}

function listOf(rows: readonly Agent[], query: AgentQuery): Agent[] {
  const byRank = [...rows].sort((one, other) => other.rank - one.rank || one.firstSeen - other.firstSeen);
  switch (query.by) {
    case 'rank':
    case 'recent': {
      const { by, capability, country } = query;
      const able = byRank.filter((row) => !capability || row.capabilities.includes(capability.toLowerCase()));
      const found = able.filter((row) => !country || row.country === country.toUpperCase());
      return by === 'rank' ? found : found.sort((one, other) => other.lastSeen - one.lastSeen);
    }
    case 'name': {
      const start = query.startsWith.toLowerCase();
      return byRank.filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${start}`));
    }
    case 'rated':
      return byRank.filter(({ disputes, ratings }) => disputes + Object.values(ratings).reduce((a, b) => a + b, 0) > 0);
    case 'beacon':
      return byRank
        .filter(({ lastBeacon }) => lastBeacon !== undefined)
        .sort((one, other) => other.lastBeacon! - one.lastBeacon!);
    case 'id':
      return byRank.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}
