import { token } from '../platform/token.ts';

/**
 * The agents an aggregator knows: everybody who has ever signed something it took. Aggregators only; open to every plugin.
 * Every page is a range of an index, whatever the number of agents.
 */
export interface Agents {
  /** Undefined when this aggregator has not heard of that agent. */
  get(id: string): Promise<Agent | undefined>;
  /**
   * Up to 200 agents; 50 unless `limit` says otherwise. `next` goes on exactly behind the last one, absent on the last page; an agent
   * that moves meanwhile may be met twice or not at all. Rejects with `invalid_request` for a cursor of another list.
   */
  page(query: AgentQuery): Promise<AgentPage>;
  /**
   * How many agents have signed (host/1) that this agent is their host, as far as this aggregator has heard of it and the claims still
   * hold; 10,000 stand for more.
   */
  hostedBy(id: string): Promise<number>;
}
export const Agents = token<Agents>('agents');

/**
 * - `rank`: the best first, of equal ones who was seen first; `rated` those alone for or against whom something has been counted.
 * - `recent`: who signed something last comes first.
 * - `name`: those whose name, or a word of it, begins like `startsWith`, by this term and then by rank; once for each word that does.
 * - `beacon`: who announced itself last comes first.
 * - `id`: by agent id, for going through all of them.
 */
export type AgentQuery = { readonly limit?: number; readonly cursor?: string } & (
  | { readonly by: 'rank' | 'recent'; readonly capability?: string; readonly country?: string }
  | { readonly by: 'name'; readonly startsWith: string }
  | { readonly by: 'rated' | 'beacon' | 'id' }
);

export interface AgentPage {
  readonly agents: readonly Agent[];
  readonly next?: string;
}

/** Times are Unix milliseconds. Members that an agent has not said are absent. */
export interface Agent {
  readonly id: string;
  /** As it says itself: anybody can take any name. */
  readonly name: string;
  readonly url?: string;
  /** The hubs it keeps a session with, as its last BEACON says. */
  readonly hubs: readonly string[];
  readonly capabilities: readonly string[];
  /** Two letters, where it says it is. */
  readonly country?: string;
  readonly city?: string;
  /** The score that `GET /reputation/:agent_id` explains. */
  readonly score: number;
  /**
   * The order of lists: the score less what is not known yet. Higher is better. Above 0 money that the score trusts speaks for the
   * agent, which nothing that is free brings about.
   */
  readonly rank: number;
  /** Ratings that count. */
  readonly ratings: { readonly positive: number; readonly neutral: number; readonly negative: number };
  /** Disputes raised against it. */
  readonly disputes: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** When its last BEACON was signed. */
  readonly lastBeacon?: number;
  /** The last work that it delivered to somebody: when that was asked for, by a signature of who asked, and when it signed the DELIVER. */
  readonly lastRoundTrip?: { readonly asked: number; readonly answered: number };
}
