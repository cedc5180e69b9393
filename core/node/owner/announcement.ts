import type { SchemaTypes } from '../../../schemas/types.ts';
import { AggregatorClient } from '../../client/aggregator-client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { ClientOptions } from '../../client/http-caller.ts';
import { MeshError } from '../../contracts/errors.ts';

export interface Announcement {
  readonly agentId: string;
  readonly proposal: SchemaTypes['owner-proposal'];
  readonly aggregators: readonly string[];
  /** How they are called; `sign` is needed. */
  readonly means: Omit<ClientOptions, 'url'>;
}

/**
 * Hands a proposal to every aggregator and gives those that took it. Fails with `conflict` when one says that the
 * agent is owned, or is about to be, and with `upstream_failed` when none took it.
 */
export async function announce({ agentId, proposal, aggregators, means }: Announcement): Promise<string[]> {
  const outcomes = await Promise.allSettled(
    aggregators.map((url) => new AggregatorClient({ ...means, url }).proposeOwner(agentId, proposal)),
  );
  const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const owned = refusals.find((error) => error instanceof ClientError && error.code === 'conflict');
  if (owned) throw new MeshError('conflict', (owned as ClientError).message);
  const taken = aggregators.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  if (taken.length > 0) return taken;
  const [cause] = refusals;
  const why = cause === undefined ? 'this node has none: set mesh.aggregators' : String((cause as Error).message);
  throw new MeshError('upstream_failed', { detail: `No aggregator took the proposal: ${why}`, cause });
}
