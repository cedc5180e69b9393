import type { AgentKeys } from '../contracts/agent-keys.ts';
import { MeshError } from '../contracts/errors.ts';
import { keyBehind } from '../http/agent-keys.ts';
import { internalToken } from '../platform/token.ts';

/** The keys of partners that are assets of a registry, once a plugin reads one. */
export class PartnerKeysOfNode {
  #keys: AgentKeys | undefined;

  use(keys: AgentKeys | undefined): void {
    this.#keys = keys;
  }

  /** The key of an agent that may be named by its asset. */
  async keyOf(id: string, pointer: string): Promise<string> {
    return this.#keys ? keyBehind(id, pointer, this.#keys, 'usual') : id;
  }

  /** Throws before a deal is bound or paid with a key that signs for its asset no more, or of which nobody can say so. */
  async check(key: string): Promise<void> {
    const signs = (await this.#keys?.stillSigns(key)) ?? true;
    if (signs === true) return;
    if (signs === false)
      throw new MeshError('conflict', `${key} signs for its asset in the registry no more: nothing was bound or paid.`);
    throw new MeshError('ledger_unavailable', {
      detail: `Whether ${key} still signs for its asset is not known, so nothing was bound or paid: the registry cannot be asked.`,
      retryAfter: 5,
    });
  }
}

export type PartnerKeys = PartnerKeysOfNode;
export const PartnerKeys = internalToken<PartnerKeys>('partner-keys');
