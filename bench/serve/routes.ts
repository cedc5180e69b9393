import type { Rounds } from '../framework/warm.ts';

/** A route that is read, by its path; `:id` stands for agents, one after the other. */
export const READ = {
  profile: '/agents/:id/profile',
  leaderboard: '/leaderboard',
  activity: '/activity',
  agents: '/agents',
  search: '/agents/search?capability=translation',
  registry: '/registry',
  reputation: '/reputation/:id',
  interactions: '/interactions',
  interactions_by: '/interactions/by/:id',
  capabilities: '/capabilities',
  stats: '/stats/network',
  timeseries: '/stats/timeseries',
  graph_flow: '/graph/flow',
  graph_clusters: '/graph/clusters',
  graph_agent: '/graph/agent/:id',
  anomaly: '/leaderboard/anomaly',
  params: '/params/calibrated',
  sri: '/system/sri',
  stake_required: '/stake/required/:id',
} as const;

export type Route = keyof typeof READ;
export const ROUTES = Object.keys(READ) as Route[];

/** The first route of a list meets a process that has answered nothing yet. */
const FIRST: Rounds = { least: 10, most: 14 };
const LATER: Rounds = { least: 4, most: 6 };

/** Rounds in which code is compiled. */
export function warmUpOf(route: Route): Rounds {
  return route === 'profile' ? FIRST : LATER;
}

export function pathsOf(route: Route, agents: readonly string[]): string[] {
  const path = READ[route];
  return path.includes(':id') ? agents.map((id) => path.replace(':id', id)) : [path];
}

export function byRoute<T>(of: (route: Route) => T): Readonly<Record<Route, T>> {
  const made: Partial<Record<Route, T>> = {};
  for (const route of ROUTES) made[route] = of(route);
  return made as Record<Route, T>;
}

/** The path as a router takes it. */
export function patternOf(route: Route): string {
  return READ[route].split('?')[0]!;
}
