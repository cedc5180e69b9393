import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';

/** First byte of every message of version 1. */
export const VERSION_1 = 129;
export const MAX_V1_BYTES = 4096;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const MAX_SIGNATURES = 12;
const MAX_ADDRESSES = 64;
const MAX_INSTRUCTIONS = 64;
const PRIORITY_FEE = 0b11;
const KNOWN_BITS = 0b11111;
const MIN_HEAP = 32 * 1024;
const MAX_HEAP = 256 * 1024;

/**
 * Limits and fee that a version 1 message states itself; older ones have instructions of the compute budget program.
 */
export interface TransactionConfig {
  /** In lamports, for the whole transaction. */
  readonly priorityFee: number | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

export interface CompiledInstruction {
  readonly programIdIndex: number;
  readonly accountKeyIndexes: readonly number[];
  readonly data: Uint8Array;
}

/** A message of version 1 (SIMD-0385), with the members of those that web3.js knows. */
export class MessageV1 {
  readonly version = 1;
  readonly addressTableLookups: readonly [] = [];
  readonly header: {
    readonly numRequiredSignatures: number;
    readonly numReadonlySignedAccounts: number;
    readonly numReadonlyUnsignedAccounts: number;
  };
  readonly config: TransactionConfig;
  readonly recentBlockhash: string;
  readonly staticAccountKeys: readonly PublicKey[];
  readonly compiledInstructions: readonly CompiledInstruction[];
  /** Of the message, without the signatures behind it. */
  readonly length: number;

  /** Reads a message at the beginning of the bytes; throws a sentence for anything but its exact form. */
  constructor(bytes: Buffer) {
    const reader = new Reader(bytes);
    if (reader.byte() !== VERSION_1) throw new Error('it is not of version 1');
    const [numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts] = reader.take(3);
    this.header = {
      numRequiredSignatures: numRequiredSignatures!,
      numReadonlySignedAccounts: numReadonlySignedAccounts!,
      numReadonlyUnsignedAccounts: numReadonlyUnsignedAccounts!,
    };
    const mask = reader.take(4).readUInt32LE();
    this.recentBlockhash = bs58.encode(reader.take(KEY_BYTES));
    const instructions = reader.byte();
    const addresses = reader.byte();
    if (numRequiredSignatures! > MAX_SIGNATURES) throw new Error(`more than ${MAX_SIGNATURES} signatures`);
    if (instructions > MAX_INSTRUCTIONS) throw new Error(`more than ${MAX_INSTRUCTIONS} instructions`);
    if (addresses > MAX_ADDRESSES) throw new Error(`more than ${MAX_ADDRESSES} addresses`);
    this.staticAccountKeys = Array.from({ length: addresses }, () => new PublicKey(reader.take(KEY_BYTES)));
    this.config = readConfig(reader, mask);
    const headers = Array.from({ length: instructions }, () => reader.take(4));
    this.compiledInstructions = headers.map((header) => ({
      programIdIndex: header[0]!,
      accountKeyIndexes: [...reader.take(header[1]!)],
      data: reader.take(header.readUInt16LE(2)),
    }));
    this.length = reader.at;
  }

  isAccountWritable(index: number): boolean {
    const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = this.header;
    if (index < numRequiredSignatures) return index < numRequiredSignatures - numReadonlySignedAccounts;
    return index < this.staticAccountKeys.length - numReadonlyUnsignedAccounts;
  }
}

/** The signatures behind a message; nothing else may follow. */
export function signaturesBehind(bytes: Buffer, { header, length }: MessageV1): Buffer[] {
  const rest = bytes.subarray(length);
  if (rest.length !== header.numRequiredSignatures * SIGNATURE_BYTES) {
    throw new Error(`${rest.length} bytes follow the message, not ${header.numRequiredSignatures} signatures`);
  }
  return Array.from({ length: header.numRequiredSignatures }, (_, index) =>
    rest.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES),
  );
}

/** Values stand in the order of the bits of the mask, four bytes a bit. */
function readConfig(reader: Reader, mask: number): TransactionConfig {
  if ((mask & ~KNOWN_BITS) !== 0) throw new Error('its config mask has an unknown bit');
  const fee = mask & PRIORITY_FEE;
  if (fee !== 0 && fee !== PRIORITY_FEE) throw new Error('its config mask has half a priority fee');
  const number = (bit: number) => ((mask & bit) === 0 ? null : reader.take(4).readUInt32LE());
  const config = {
    priorityFee: fee === 0 ? null : Number(reader.take(8).readBigUInt64LE()),
    computeUnitLimit: number(0b100),
    loadedAccountsDataSizeLimit: number(0b1000),
    heapSize: number(0b10000),
  };
  const { heapSize: heap } = config;
  if (heap !== null && (heap % 1024 !== 0 || heap < MIN_HEAP || heap > MAX_HEAP)) {
    throw new Error('its heap is no multiple of 1 KiB from 32 to 256 KiB');
  }
  return config;
}

class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  take(length: number): Buffer {
    if (this.at + length > this.#bytes.length) throw new Error('it ends too early');
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
}
