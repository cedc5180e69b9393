import type { Agent, Self } from '../../../core/services.ts';

/** Agents whose catalogue entry is told in one document. */
const AGENT_TYPE = 'application/vnd.agent-mesh.agent+json';
const URN = /^urn:air:([a-zA-Z0-9.-]+):([a-z]+)(?::([1-9A-HJ-NP-Za-km-z]{32,44}))?$/;

export type Entry = Readonly<Record<string, unknown>> & {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
};

/** The host that names entries: that of the public URL. */
export function publisherOf(self: Self): string {
  const { hostname } = new URL(self.url());
  return /^[a-zA-Z0-9.-]+$/.test(hostname) ? hostname : 'localhost';
}

/** An agent as catalogues list it. Its reputation stands in metadata: the score of a search is relevance alone. */
export function entryOf(agent: Agent, self: Self): Entry {
  const { id, name, capabilities, country, score, ratings, disputes, firstSeen, lastSeen, lastRoundTrip } = agent;
  const last = new Date(lastSeen).toISOString();
  const address = `${self.url()}/agents/${id}`;
  return {
    identifier: `urn:air:${publisherOf(self)}:agent:${id}`,
    displayName: name || id.slice(0, 8),
    type: AGENT_TYPE,
    url: address,
    description: `An agent of the mesh ${self.network}. It says that it does: ${capabilities.join(', ') || 'nothing yet'}.`,
    ...(capabilities.length > 0 && { capabilities, tags: capabilities }),
    updatedAt: last,
    metadata: {
      ...{ score, ratings_positive: ratings.positive, ratings_negative: ratings.negative, disputes },
      ...{ first_seen_at: new Date(firstSeen).toISOString(), last_signed_record_at: last },
      ...(lastRoundTrip && { last_round_trip_at: new Date(lastRoundTrip.answered).toISOString() }),
      ...(country !== undefined && { country }),
    },
    trustManifest: { identity: address, identityType: 'https' },
  };
}

/** The entries of the aggregator itself. */
export function ownEntries(self: Self): Entry[] {
  const host = publisherOf(self);
  const [name, url] = [self.name, self.url()];
  return [
    {
      identifier: `urn:air:${host}:registry`,
      displayName: `Agents of ${name}`,
      type: 'application/ai-registry+json',
      url: `${url}/ard/v1`,
      description: `Search over the agents of the mesh ${self.network}, each with its verifiable reputation.`,
    },
    {
      identifier: `urn:air:${host}:api`,
      displayName: `API of ${name}`,
      type: 'application/vnd.oai.openapi+json',
      url: `${url}/openapi.json`,
      description: 'Agents, scores, receipts and the ledger of the mesh.',
    },
  ];
}

/** The kind and the agent id of an identifier of this publisher; undefined for a text that is no identifier. */
export function parseIdentifier(
  text: string,
): { readonly host: string; readonly kind: string; readonly id?: string } | undefined {
  const [, host, kind, id] = URN.exec(text) ?? [];
  return host === undefined || kind === undefined ? undefined : { host, kind, ...(id !== undefined && { id }) };
}
