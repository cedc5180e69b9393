import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';

const MESSENGER = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe';
const SOLANA = 5;

/** The message of a burn, of which the instruction's data are known, as the attestation service shows it. */
export function burnMessage(hash: string, data: Buffer, token: Buffer, owner: Buffer, fee: bigint): Buffer {
  const messenger = new PublicKey(MESSENGER).toBuffer();
  const nonce = createHash('sha256').update(hash).digest();
  const [domain, finality] = [u32(data.readUInt32LE(16)), u32(data.readUInt32LE(92))];
  const header = [u32(1), u32(SOLANA), domain, nonce, messenger, Buffer.alloc(32, 0x28), Buffer.alloc(32)];
  const amounts = [u256(data.readBigUInt64LE(8)), owner, u256(data.readBigUInt64LE(84)), u256(fee), u256(0n)];
  const body = [u32(1), token, data.subarray(20, 52), ...amounts, data.subarray(100)];
  return Buffer.concat([...header, finality, finality, ...body]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u256(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}
