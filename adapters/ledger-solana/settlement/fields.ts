import bs58 from 'bs58';
import { invalidField } from '../../../core/contracts/errors.ts';
import { fromHex } from '../../../core/platform/bytes.ts';

const ADDRESSES = [
  'requester',
  'provider',
  'notary',
  'payee',
  'key',
  'agentId',
  'stakeOwner',
  'owner',
  'accuser',
] as const;

/** Throws `invalid_request` when a field of a step that should be a base58 address is none. */
export function checkAddresses(step: object): void {
  const fields = step as Readonly<Record<string, unknown>>;
  for (const field of ADDRESSES) {
    const value = fields[field];
    if (typeof value === 'string' && bs58.decodeUnsafe(value.slice(0, 64))?.length !== 32)
      throw invalidField(`/${field}`, 'must be a base58 address of 32 bytes');
  }
}

/** The bytes of a hex field of a step; throws `invalid_request` with its name. */
export function bytesField(name: string, hex: string, length: number): Uint8Array {
  const bytes = fromHex(hex, length);
  if (!bytes) throw invalidField(`/${name}`, `must be ${2 * length} hex digits`);
  return bytes;
}
