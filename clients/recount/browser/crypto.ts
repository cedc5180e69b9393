// In the place of node:crypto: the hash that evidence is digested and networks are named with.
import { Buffer } from 'buffer/';
import { sha256 } from './sha256.ts';

export function createHash(name: string) {
  if (name !== 'sha256') throw new Error(`no ${name} in a browser`);
  const parts: Uint8Array[] = [];
  const hash = {
    update(part: Uint8Array | string) {
      parts.push(typeof part === 'string' ? new TextEncoder().encode(part) : part);
      return hash;
    },
    digest(encoding?: 'hex') {
      const bytes = Buffer.from(sha256(Buffer.concat(parts)));
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return hash;
}
