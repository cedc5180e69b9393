import type { Settings } from '../internal-services.ts';
import type { Identity } from '../protocol/signer/identity.ts';

/** The name the operator gave, or the first characters of the id. */
export function agentNameOf(settings: Settings, identity: Identity): string {
  return settings.agent.name ?? identity.address.slice(0, 8);
}
