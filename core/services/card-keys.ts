import { guardedToken } from '../platform/token.ts';

/**
 * Certifies the key that signs a plugin's agent cards and catalogues. The agent's own key signs no JSON: it says, in the domain card/1,
 * that another key signs cards in its name until a time. Needs the permission `cards:certify`.
 */
export interface CardKeys {
  /**
   * The signature of this agent, 64 bytes, over the card key (32 bytes, Ed25519) and its end (Unix seconds), at most 90 days ahead. Throws a
   * RangeError for another length or time.
   */
  certify(cardKey: Uint8Array, notAfter: number): Uint8Array;
}
export const CardKeys = guardedToken<CardKeys>('card-keys', 'cards:certify');
