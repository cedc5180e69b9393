import type { AgentKeys, KeyUse } from '../contracts/agent-keys.ts';
import { MeshError } from '../contracts/errors.ts';
import { keyBehind } from '../http/agent-keys.ts';
import { internalToken } from '../platform/token.ts';
import { normaliseAgentId } from '../protocol/identity/ids.ts';

/** An agent as it was named: its key, and the asset of the registry that it was named by. */
export interface Named {
  readonly key: string;
  readonly asset?: string;
}

/** The keys of partners that are assets of a registry, once a plugin reads one. */
export class PartnerKeysOfNode {
  #keys: AgentKeys | undefined;

  use(keys: AgentKeys | undefined): void {
    this.#keys = keys;
  }

  /** The agent behind an id; what is no id comes back as it is. */
  async named(text: string, pointer: string, use: Exclude<KeyUse, 'read'>): Promise<Named> {
    const id = this.#keys && normaliseAgentId(text);
    if (!this.#keys || id === undefined) return { key: text };
    const key = await keyBehind(id, pointer, this.#keys, use);
    return key === id ? { key } : { key, asset: id };
  }

  /** Throws before a deal is bound or paid with a key that signs no more for the asset it was named by, or of which nobody can say so. */
  async check({ key, asset }: Named): Promise<void> {
    if (!this.#keys || asset === undefined) return;
    const answer = await this.#keys.keyOf(asset, 'binding');
    if (answer.status === 'asset' && answer.key === key) return;
    if (answer.status !== 'unknown') {
      const what = `${key} signs no more for ${asset}, the asset that this deal was offered to: nothing was bound or paid.`;
      throw new MeshError('conflict', what);
    }
    throw new MeshError('ledger_unavailable', {
      detail: `Whether ${key} still signs for ${asset} is not known, so nothing was bound or paid: the registry cannot be asked.`,
      retryAfter: 5,
    });
  }
}

export type PartnerKeys = PartnerKeysOfNode;
export const PartnerKeys = internalToken<PartnerKeys>('partner-keys');
