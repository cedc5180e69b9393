import { createHash } from 'node:crypto';
import type { CardKeys } from '../../services.ts';

/** `value(CardKeys, fakeCardKeys())`: certifies any key, with a signature that is none. */
export function fakeCardKeys(): CardKeys {
  return { certify: (cardKey, notAfter) => createHash('sha512').update(cardKey).update(` ${notAfter}`).digest() };
}
