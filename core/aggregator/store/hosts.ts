import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredHost = SchemaTypes['stored-host'];

/** Which host acts for an agent, as both have signed; by the agent's key. The first that was published counts while it lasts. */
export const hosts = collection<StoredHost>('hosts', { schema: 'stored-host' });

/** Whether this claim takes the place of what is known at that moment, Unix milliseconds: of the same host a longer one. */
export function replaces(known: StoredHost | undefined, { host, not_after }: StoredHost, now: number): boolean {
  if (!known || known.not_after * 1000 <= now) return true;
  return known.host === host && known.not_after < not_after;
}
