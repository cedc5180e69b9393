import type { Profile } from '../platform/node-state.ts';
import { token } from '../platform/token.ts';

/** The identity of this process on the mesh. Never the key. Open to every plugin. */
export interface Self {
  /** The agent id, base58: on the mesh and in URLs. */
  readonly id: string;
  /** The wallet's address on the ledger, base58. It is the same key. */
  readonly address: string;
  /** The agent that the operator says this is (`--agent-id`), where that is not the key; a plugin that reads a registry has to confirm it. */
  readonly claimedId?: string;
  /** The name that the operator gave it, else the first eight characters of the id. */
  readonly name: string;
  /** The name of the mesh it belongs to, such as `localnet`. */
  readonly network: string;
  /** 1 on the public network, else 2. */
  readonly envelopeVersion: 1 | 2;
  readonly profile: Profile;
  /** The URLs of the aggregators that it reports to. */
  readonly aggregators: readonly string[];
  /** The URL at which others reach it; known from `ready` on, and throws before. */
  url(): string;
}
export const Self = token<Self>('self');
