import { token } from '../platform/token.ts';

/** The registry asset that this agent is known by; a plugin that reads a registry offers it, and the BEACON says it. */
export interface OwnAsset {
  /** Base58; undefined while the agent is not registered, or that is not known. */
  asset(): string | undefined;
}

export const OwnAsset = token<OwnAsset>('own-asset');
