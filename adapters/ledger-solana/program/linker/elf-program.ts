/** A linked program: constants and code, each a multiple of eight bytes long. */
export interface LinkedProgram {
  readonly constants: Buffer;
  readonly code: Buffer;
  /** Offset of the entry point in the code. */
  readonly entry: number;
}

/** Where the virtual machine maps the constants, and where the code. */
export const CONSTANTS_ADDRESS = 0n;
export const CODE_ADDRESS = 1n << 32n;

const FILE_HEADER = 64;
const PROGRAM_HEADER = 56;
const SECTION_HEADER = 64;
const SHARED_OBJECT = 3;
const MACHINE_BPF = 247;
const SBPF_VERSION = 3;
const READ = 4;
const EXECUTE = 1;

/**
 * The bytes of an sBPF version 3 file: header, exactly two segments (constants, then code), and the one empty section
 * that the header must be able to name. The loader relocates nothing.
 */
export function writeProgram({ constants, code, entry }: LinkedProgram): Buffer {
  const constantsAt = FILE_HEADER + 2 * PROGRAM_HEADER;
  const codeAt = constantsAt + constants.length;
  const sectionsAt = codeAt + code.length;
  const out = Buffer.alloc(sectionsAt + SECTION_HEADER);
  writeFileHeader(out, CODE_ADDRESS + BigInt(entry), sectionsAt);
  writeSegment(out, 0, { flags: READ, at: constantsAt, address: CONSTANTS_ADDRESS, size: constants.length });
  writeSegment(out, 1, { flags: EXECUTE, at: codeAt, address: CODE_ADDRESS, size: code.length });
  constants.copy(out, constantsAt);
  code.copy(out, codeAt);
  return out;
}

function writeFileHeader(out: Buffer, entry: bigint, sectionsAt: number): void {
  out.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  out.writeUInt16LE(SHARED_OBJECT, 16);
  out.writeUInt16LE(MACHINE_BPF, 18);
  out.writeUInt32LE(1, 20);
  out.writeBigUInt64LE(entry, 24);
  out.writeBigUInt64LE(BigInt(FILE_HEADER), 32);
  out.writeBigUInt64LE(BigInt(sectionsAt), 40);
  out.writeUInt32LE(SBPF_VERSION, 48);
  const [SEGMENTS, SECTIONS, NAMES] = [2, 1, 0];
  [FILE_HEADER, PROGRAM_HEADER, SEGMENTS, SECTION_HEADER, SECTIONS, NAMES].forEach((value, i) => {
    out.writeUInt16LE(value, 52 + 2 * i);
  });
}

interface Segment {
  readonly flags: number;
  readonly at: number;
  readonly address: bigint;
  readonly size: number;
}

function writeSegment(out: Buffer, index: number, { flags, at, address, size }: Segment): void {
  const header = FILE_HEADER + PROGRAM_HEADER * index;
  const LOADED = 1;
  out.writeUInt32LE(LOADED, header);
  out.writeUInt32LE(flags, header + 4);
  const PAGE = 4096n;
  [BigInt(at), address, address, BigInt(size), BigInt(size), PAGE].forEach((value, i) => {
    out.writeBigUInt64LE(value, header + 8 + 8 * i);
  });
}
