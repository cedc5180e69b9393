/** The parts of a relocatable ELF64 object (little-endian) that the linker needs. */
export interface ElfObject {
  readonly sections: readonly Section[];
  readonly symbols: readonly ElfSymbol[];
}

export interface Section {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly data: Buffer;
  /** For a relocation section: the section it applies to. */
  readonly info: number;
}

export interface ElfSymbol {
  readonly name: string;
  /** 0 means defined elsewhere: a syscall. */
  readonly section: number;
  readonly value: number;
}

export interface Relocation {
  readonly offset: number;
  readonly type: number;
  readonly symbol: number;
}

export const SECTION_SYMBOLS = 2;
export const SECTION_RELA = 4;
export const SECTION_REL = 9;
export const FLAG_WRITE = 1;
export const FLAG_ALLOC = 2;
export const FLAG_EXEC = 4;

const ELF_MAGIC = 0x464c457f;
const MACHINE_BPF = 247;
const SECTION_HEADER = 64;
const SYMBOL = 24;
const RELOCATION = 16;

/** Throws when the bytes are not an object made by `clang -target bpf`. */
export function readObject(file: Buffer): ElfObject {
  if (file.length < 64 || file.readUInt32LE(0) !== ELF_MAGIC || file.readUInt16LE(18) !== MACHINE_BPF) {
    throw new Error('not an ELF object for BPF');
  }
  const headers = number64(file, 40);
  const count = file.readUInt16LE(60);
  const raw = Array.from({ length: count }, (_, index) => sectionAt(file, headers + index * SECTION_HEADER, index));
  const names = raw[file.readUInt16LE(62)]!.data;
  const sections = raw.map(({ nameOffset, link: _, ...section }) => ({ ...section, name: text(names, nameOffset) }));
  const table = raw.find((section) => section.type === SECTION_SYMBOLS);
  if (!table) throw new Error('the object has no symbol table');
  return { sections, symbols: readSymbols(table.data, raw[table.link]!.data) };
}

export function readRelocations(section: Section): Relocation[] {
  return Array.from({ length: section.data.length / RELOCATION }, (_, i) => ({
    offset: number64(section.data, i * RELOCATION),
    type: section.data.readUInt32LE(i * RELOCATION + 8),
    symbol: section.data.readUInt32LE(i * RELOCATION + 12),
  }));
}

function sectionAt(file: Buffer, at: number, index: number) {
  const type = file.readUInt32LE(at + 4);
  const offset = number64(file, at + 24);
  const NOBITS = 8;
  return {
    index,
    nameOffset: file.readUInt32LE(at),
    type,
    flags: number64(file, at + 8),
    data:
      type === NOBITS ? Buffer.alloc(number64(file, at + 32)) : file.subarray(offset, offset + number64(file, at + 32)),
    link: file.readUInt32LE(at + 40),
    info: file.readUInt32LE(at + 44),
  };
}

function readSymbols(table: Buffer, names: Buffer): ElfSymbol[] {
  return Array.from({ length: table.length / SYMBOL }, (_, i) => ({
    name: text(names, table.readUInt32LE(i * SYMBOL)),
    section: table.readUInt16LE(i * SYMBOL + 6),
    value: number64(table, i * SYMBOL + 8),
  }));
}

function text(names: Buffer, offset: number): string {
  return names.toString('latin1', offset, names.indexOf(0, offset));
}

function number64(buffer: Buffer, at: number): number {
  return Number(buffer.readBigUInt64LE(at));
}
