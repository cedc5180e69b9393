import { SLOTS_PER_EPOCH, type Stamp } from './slots.ts';

export const ACCOUNT_OF_CLOCK = 'SysvarC1ock11111111111111111111111111111111';

/** The clock sysvar as it was at a stamp. */
export function clockData(now: Buffer, { slot, unix }: Stamp): Buffer {
  const data = Buffer.from(now);
  const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigUInt64LE(epoch, 16);
  data.writeBigUInt64LE(epoch + 1n, 24);
  data.writeBigInt64LE(BigInt(unix), 32);
  return data;
}
