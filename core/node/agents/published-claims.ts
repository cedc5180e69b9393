import { AggregatorClient } from '../../client/aggregator-client.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/problem.ts';

export interface PublishedClaimsMeans {
  /** The aggregators of this node. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

const TIMEOUT = 5_000;

/**
 * The recovery keys of an agent's first claim by the word of this node's aggregators: usually one or none. Whoever has the key of an agent can sign a claim with another
 * recovery key at any time, so a node that has not heard the first one itself asks. Rejects with `upstream_failed` when none of them answers.
 */
export type PublishedClaims = (agent: string) => Promise<readonly string[]>;

export function publishedClaims({ urls, clock, fetch }: PublishedClaimsMeans): PublishedClaims {
  const clients = [...new Set(urls)].map((url) => new AggregatorClient({ url, timeout: TIMEOUT, clock, fetch }));
  return async (agent) => {
    const answers = await Promise.allSettled(clients.map((client) => client.hostOf(agent)));
    const [failed] = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed !== undefined && answers.every(({ status }) => status === 'rejected'))
      throw new MeshError('upstream_failed', {
        detail: `No aggregator says which recovery key ${agent} published first: ${messageOf(failed)}`,
        cause: failed,
      });
    return answers.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value.recovery_key] : []));
  };
}
