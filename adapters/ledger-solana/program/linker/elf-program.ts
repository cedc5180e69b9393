/** A call that the loader resolves by name: `offset` counts from the start of the code. */
export interface DynamicCall {
  readonly offset: number;
  readonly name: string;
}

export interface LinkedProgram {
  readonly code: Buffer;
  readonly constants: Buffer;
  readonly calls: readonly DynamicCall[];
  /** Offset of the entry point in the code. */
  readonly entry: number;
}

const FILE_HEADER = 64;
const PROGRAM_HEADER = 56;
const SECTION_HEADER = 64;
/** Where the code lies in the file, which is also its address: header and three program headers come before. */
export const CODE_START = FILE_HEADER + 3 * PROGRAM_HEADER;

const MACHINE_BPF = 247;
const R_BPF_64_32 = 10;
const DYNAMIC_ENTRIES = 8;
const WRITE = 1;
const ALLOC = 2;
const EXEC = 4;

interface Part {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly at: number;
  readonly data: Buffer;
  readonly link?: number;
  readonly info?: number;
  readonly entrySize?: number;
}

/** The bytes of the shared object. File offsets equal addresses, so nothing needs to be moved at load. */
export function writeProgram(program: LinkedProgram): Buffer {
  const names = [...new Set(program.calls.map((call) => call.name))];
  const strings = stringTable(['', ...names]);
  const constantsAt = align(CODE_START + program.code.length, 16);
  const dynamicAt = align(constantsAt + program.constants.length, 8);
  const symbolsAt = dynamicAt + 16 * DYNAMIC_ENTRIES;
  const symbols = symbolTable(names, strings.offsets);
  const stringsAt = symbolsAt + symbols.length;
  const relocationsAt = align(stringsAt + strings.bytes.length, 8);
  const relocations = relocationTable(program.calls, names);
  const dynamic = dynamicTable({
    relocationsAt,
    size: relocations.length,
    symbolsAt,
    stringsAt,
    strings: strings.bytes.length,
  });
  const parts: Part[] = [
    { name: '.text', type: 1, flags: ALLOC | EXEC, at: CODE_START, data: program.code },
    { name: '.rodata', type: 1, flags: ALLOC, at: constantsAt, data: program.constants },
    { name: '.dynamic', type: 6, flags: WRITE | ALLOC, at: dynamicAt, data: dynamic, link: 5, entrySize: 16 },
    { name: '.dynsym', type: 11, flags: ALLOC, at: symbolsAt, data: symbols, link: 5, info: 1, entrySize: 24 },
    { name: '.dynstr', type: 3, flags: ALLOC, at: stringsAt, data: strings.bytes },
    { name: '.rel.dyn', type: 9, flags: ALLOC, at: relocationsAt, data: relocations, link: 4, entrySize: 16 },
  ];
  return assemble(parts, CODE_START + program.entry);
}

function assemble(loaded: readonly Part[], entry: number): Buffer {
  const last = loaded.at(-1)!;
  const namesAt = last.at + last.data.length;
  const names = stringTable(['', ...loaded.map((part) => part.name), '.shstrtab']);
  const parts = [...loaded, { name: '.shstrtab', type: 3, flags: 0, at: namesAt, data: names.bytes }];
  const headersAt = align(namesAt + names.bytes.length, 8);
  const out = Buffer.alloc(headersAt + SECTION_HEADER * (parts.length + 1));
  for (const part of parts) part.data.copy(out, part.at);
  writeFileHeader(out, entry, headersAt, parts.length + 1);
  const [code, constants, dynamic] = loaded as [Part, Part, Part];
  writeSegment(out, 0, { type: 1, flags: 5, at: code.at, size: code.data.length });
  writeSegment(out, 1, { type: 1, flags: 4, at: constants.at, size: namesAt - constants.at });
  writeSegment(out, 2, { type: 2, flags: 6, at: dynamic.at, size: dynamic.data.length });
  parts.forEach((part, i) => {
    writeSection(out, headersAt + SECTION_HEADER * (i + 1), part, names.offsets.get(part.name)!);
  });
  return out;
}

function writeFileHeader(out: Buffer, entry: number, sectionsAt: number, sections: number): void {
  out.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  out.writeUInt16LE(3, 16);
  out.writeUInt16LE(MACHINE_BPF, 18);
  out.writeUInt32LE(1, 20);
  out.writeBigUInt64LE(BigInt(entry), 24);
  out.writeBigUInt64LE(BigInt(FILE_HEADER), 32);
  out.writeBigUInt64LE(BigInt(sectionsAt), 40);
  [FILE_HEADER, PROGRAM_HEADER, 3, SECTION_HEADER, sections, sections - 1].forEach((value, i) => {
    out.writeUInt16LE(value, 52 + 2 * i);
  });
}

function writeSegment(
  out: Buffer,
  index: number,
  segment: { type: number; flags: number; at: number; size: number },
): void {
  const at = FILE_HEADER + PROGRAM_HEADER * index;
  out.writeUInt32LE(segment.type, at);
  out.writeUInt32LE(segment.flags, at + 4);
  const PAGE = 4096;
  [segment.at, segment.at, segment.at, segment.size, segment.size, PAGE].forEach((value, i) => {
    out.writeBigUInt64LE(BigInt(value), at + 8 + 8 * i);
  });
}

function writeSection(out: Buffer, at: number, part: Part, name: number): void {
  out.writeUInt32LE(name, at);
  out.writeUInt32LE(part.type, at + 4);
  [part.flags, part.flags & ALLOC ? part.at : 0, part.at, part.data.length].forEach((value, i) => {
    out.writeBigUInt64LE(BigInt(value), at + 8 + 8 * i);
  });
  out.writeUInt32LE(part.link ?? 0, at + 40);
  out.writeUInt32LE(part.info ?? 0, at + 44);
  out.writeBigUInt64LE(8n, at + 48);
  out.writeBigUInt64LE(BigInt(part.entrySize ?? 0), at + 56);
}

function stringTable(texts: readonly string[]): { bytes: Buffer; offsets: Map<string, number> } {
  const offsets = new Map<string, number>();
  let length = 0;
  for (const text of texts) {
    offsets.set(text, length);
    length += text.length + 1;
  }
  return { bytes: Buffer.from(texts.map((text) => `${text}\0`).join(''), 'latin1'), offsets };
}

function symbolTable(names: readonly string[], offsets: ReadonlyMap<string, number>): Buffer {
  const table = Buffer.alloc(24 * (names.length + 1));
  const GLOBAL = 0x10;
  names.forEach((name, i) => {
    table.writeUInt32LE(offsets.get(name)!, 24 * (i + 1));
    table[24 * (i + 1) + 4] = GLOBAL;
  });
  return table;
}

function relocationTable(calls: readonly DynamicCall[], names: readonly string[]): Buffer {
  const table = Buffer.alloc(16 * calls.length);
  calls.forEach((call, i) => {
    table.writeBigUInt64LE(BigInt(CODE_START + call.offset), 16 * i);
    table.writeUInt32LE(R_BPF_64_32, 16 * i + 8);
    table.writeUInt32LE(names.indexOf(call.name) + 1, 16 * i + 12);
  });
  return table;
}

/** Tells the loader where relocations, symbols and their names lie. */
function dynamicTable(at: {
  relocationsAt: number;
  size: number;
  symbolsAt: number;
  stringsAt: number;
  strings: number;
}): Buffer {
  const FLAGS = 0x1e;
  const TEXT_RELOCATIONS = 4;
  const entries = [
    [FLAGS, TEXT_RELOCATIONS],
    [17, at.relocationsAt],
    [18, at.size],
    [19, 16],
    [6, at.symbolsAt],
    [5, at.stringsAt],
    [10, at.strings],
    [0, 0],
  ];
  const table = Buffer.alloc(16 * DYNAMIC_ENTRIES);
  entries.flat().forEach((value, i) => {
    table.writeBigUInt64LE(BigInt(value), 8 * i);
  });
  return table;
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
