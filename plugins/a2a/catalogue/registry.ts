import { isMeshError, typed } from '../../../core/plugin.ts';
import type { Agent, Agents, Contracts, Self } from '../../../core/services.ts';
import { type Entry, entryOf, ownEntries, parseIdentifier, publisherOf } from './entry.ts';

/** Words of a query, and agents of each, that a search looks at. */
const [WORDS, EACH] = [8, 50];
const LISTED = 100;
/** Paths by which a search may be narrowed. */
const FILTERS = ['type', 'capabilities', 'tags', 'publisher', 'displayName'];

interface Search {
  readonly query: { readonly text: string; readonly filter?: Readonly<Record<string, readonly unknown[]>> };
  readonly pageSize: number;
  readonly pageToken?: string;
}

const SEARCH = typed<Search>({
  type: 'object',
  required: ['query'],
  properties: {
    query: {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 512 },
        filter: { type: 'object', maxProperties: 8, additionalProperties: { type: 'array', maxItems: 32 } },
      },
    },
    pageSize: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    pageToken: { type: 'string', pattern: '^[0-9]{1,4}$' },
  },
});

/** An error in the form of the registry protocol. */
export class RegistryError extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.status = status;
  }

  get body(): object {
    return { errorCode: this.status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT', message: this.message };
  }
}

export interface RegistryMeans {
  readonly agents: Agents;
  readonly self: Self;
  readonly contracts: Contracts;
}

/** The registry of Agentic Resource Discovery over the agents that an aggregator knows. */
export class Registry {
  readonly #means: RegistryMeans;

  constructor(means: RegistryMeans) {
    this.#means = means;
  }

  /** The document of both well-known paths: this aggregator and its best agents. */
  async catalogue(): Promise<object> {
    const { self } = this.#means;
    const { items } = await this.page(LISTED);
    const host = { displayName: self.name, identifier: `urn:air:${publisherOf(self)}:registry` };
    return { specVersion: '1.0', host, entries: [...ownEntries(self), ...items] };
  }

  /** Agents, best first. */
  async page(limit: number, cursor?: string): Promise<{ readonly items: Entry[]; readonly pageToken?: string }> {
    const { agents, self } = this.#means;
    try {
      const found = await agents.page({ by: 'rank', limit, ...(cursor !== undefined && { cursor }) });
      const items = found.agents.map((agent) => entryOf(agent, self));
      return { items, ...(found.next !== undefined && { pageToken: found.next }) };
    } catch (error) {
      if (isMeshError(error) && error.code === 'invalid_request')
        throw new RegistryError(400, 'pageToken is of another list.');
      throw error;
    }
  }

  async entry(identifier: string): Promise<Entry> {
    const { agents, self } = this.#means;
    const parsed = parseIdentifier(identifier);
    if (!parsed)
      throw new RegistryError(400, 'The identifier is no urn:air of this form: urn:air:<host>:agent:<agent id>.');
    const isOurs = parsed.host === publisherOf(self);
    if (isOurs && parsed.kind === 'agent' && parsed.id !== undefined) {
      const agent = await agents.get(parsed.id);
      if (agent) return entryOf(agent, self);
    }
    const own = isOurs ? ownEntries(self).find((one) => one.identifier === identifier) : undefined;
    if (!own) throw new RegistryError(404, 'This registry has no such entry.');
    return own;
  }

  /** The entries that a text is about. The score is how much of the text they match, and says nothing about trust. */
  async search(body: Uint8Array): Promise<object> {
    const { self } = this.#means;
    const { query, pageSize, pageToken = '0' } = this.#parsed(body);
    const { filter = {} } = query;
    const unknown = Object.keys(filter).find((path) => !FILTERS.includes(path));
    if (unknown !== undefined)
      throw new RegistryError(400, `filter has ${unknown.slice(0, 64)}; there are ${FILTERS.join(', ')}.`);
    const words = [...new Set(query.text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [])].slice(0, WORDS);
    const hits = await this.#hits(words);
    const found = [...hits.values()]
      .map(({ agent, count }) => ({
        entry: entryOf(agent, self),
        score: Math.round((100 * count) / words.length),
        agent,
      }))
      .filter(({ entry }) => fits(entry, filter, self))
      .sort((one, other) => other.score - one.score || other.agent.rank - one.agent.rank);
    const from = Number(pageToken);
    const results = found
      .slice(from, from + pageSize)
      .map(({ entry, score }) => ({ ...entry, score, source: `${self.url()}/ard/v1` }));
    const next = from + pageSize < found.length ? { pageToken: String(from + pageSize) } : {};
    return { results, referrals: [], ...next };
  }

  async #hits(words: readonly string[]): Promise<Map<string, { readonly agent: Agent; count: number }>> {
    const { agents } = this.#means;
    const hits = new Map<string, { readonly agent: Agent; count: number }>();
    for (const word of words) {
      const lists = await Promise.all([
        agents.page({ by: 'rank', capability: word, limit: EACH }),
        agents.page({ by: 'name', startsWith: word, limit: EACH }),
      ]);
      const ofWord = new Map(lists.flatMap((list) => list.agents).map((agent) => [agent.id, agent]));
      for (const [id, agent] of ofWord) {
        const known = hits.get(id) ?? { agent, count: 0 };
        known.count += 1;
        hits.set(id, known);
      }
    }
    return hits;
  }

  #parsed(body: Uint8Array): Search {
    try {
      return this.#means.contracts.validate(SEARCH, JSON.parse(new TextDecoder().decode(body)), 'input');
    } catch (error) {
      throw new RegistryError(400, isMeshError(error) ? error.message : 'The body is not JSON.');
    }
  }
}

function fits(entry: Entry, filter: Readonly<Record<string, readonly unknown[]>>, self: Self): boolean {
  return Object.entries(filter).every(([path, wanted]) => {
    const value = path === 'publisher' ? publisherOf(self) : entry[path];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.some((one) => wanted.includes(one));
  });
}
