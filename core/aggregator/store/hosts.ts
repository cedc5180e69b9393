import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredHost = SchemaTypes['stored-host'];

/** Which host acts for an agent, as both have signed; by the agent's key. The first that was published counts while it lasts. */
export const hosts = collection<StoredHost, 'host'>('hosts', {
  schema: 'stored-host',
  indexes: { host: ({ host, not_after }) => [host, not_after] },
});
