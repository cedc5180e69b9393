import {
  type ElfObject,
  FLAG_ALLOC,
  FLAG_EXEC,
  FLAG_WRITE,
  type Relocation,
  readObject,
  readRelocations,
  SECTION_REL,
  SECTION_RELA,
  type Section,
} from './elf-object.ts';
import { CONSTANTS_ADDRESS, writeProgram } from './elf-program.ts';
import { murmur3 } from './murmur3.ts';

/** The runtime's functions that this program may use; an unknown name is a compiler-made call such as memcpy. */
const SYSCALLS = new Set([
  'sol_memcpy_',
  'sol_memset_',
  'sol_log_data',
  'sol_sha256',
  'sol_keccak256',
  'sol_get_clock_sysvar',
  'sol_get_rent_sysvar',
  'sol_create_program_address',
  'sol_try_find_program_address',
  'sol_invoke_signed_c',
]);

const R_BPF_64_64 = 1;
const R_BPF_64_32 = 10;
const INSTRUCTION = 8;
const PSEUDO_CALL = 1;

/**
 * Links one object made by `clang -target bpf` into an sBPF version 3 file, the version that clusters accept for new
 * programs. Code and constants only: writable data, several code sections and unknown calls are refused.
 */
export function link(file: Buffer): Buffer {
  const object = readObject(file);
  const text = codeOf(object);
  const code = Buffer.from(text.data);
  const constants = placeConstants(object);
  for (const relocation of relocationsOf(object, text)) relocate(object, code, constants.addresses, relocation);
  const entry = object.symbols.find((symbol) => symbol.name === 'entrypoint' && symbol.section === text.index);
  if (!entry) throw new Error('the object defines no entrypoint');
  return writeProgram({ code, constants: constants.bytes, entry: entry.value });
}

function codeOf(object: ElfObject): Section {
  const loaded = object.sections.filter((section) => section.flags & FLAG_ALLOC && section.data.length > 0);
  const writable = loaded.find((section) => section.flags & FLAG_WRITE);
  if (writable) throw new Error(`writable data is not supported: ${writable.name}`);
  const code = loaded.filter((section) => section.flags & FLAG_EXEC);
  if (code.length !== 1) throw new Error(`expected one code section, found ${code.length}`);
  return code[0]!;
}

/** Constants one after the other, each section at a multiple of 16. */
function placeConstants(object: ElfObject): { bytes: Buffer; addresses: Map<number, number> } {
  const addresses = new Map<number, number>();
  const pieces: Buffer[] = [];
  let at = 0;
  for (const section of object.sections) {
    if (!(section.flags & FLAG_ALLOC) || section.flags & FLAG_EXEC || section.data.length === 0) continue;
    if (!section.name.startsWith('.rodata')) throw new Error(`unexpected section ${section.name}`);
    const padding = -section.data.length & 15;
    addresses.set(section.index, at);
    pieces.push(section.data, Buffer.alloc(padding));
    at += section.data.length + padding;
  }
  return { bytes: Buffer.concat(pieces), addresses };
}

function relocationsOf(object: ElfObject, text: Section): Relocation[] {
  const found: Relocation[] = [];
  for (const section of object.sections) {
    const target = object.sections[section.info];
    if (section.type !== SECTION_REL && section.type !== SECTION_RELA) continue;
    if (section.type === SECTION_RELA) throw new Error(`relocations with addends are not supported: ${section.name}`);
    if (target === text) found.push(...readRelocations(section));
    else if (target && target.flags & FLAG_ALLOC) throw new Error(`constants with addresses in them: ${target.name}`);
  }
  return found;
}

function relocate(
  object: ElfObject,
  code: Buffer,
  addresses: ReadonlyMap<number, number>,
  { offset, type, symbol: index }: Relocation,
): void {
  const symbol = object.symbols[index]!;
  if (type === R_BPF_64_64) {
    const base = addresses.get(symbol.section);
    if (base === undefined) throw new Error(`the address of ${symbol.name || 'code'} is taken, which is not supported`);
    const address = CONSTANTS_ADDRESS + BigInt(base + symbol.value + code.readUInt32LE(offset + 4));
    code.writeUInt32LE(Number(address & 0xffffffffn), offset + 4);
    code.writeUInt32LE(Number(address >> 32n), offset + INSTRUCTION + 4);
  } else if (type === R_BPF_64_32 && symbol.section === 0) {
    if (!SYSCALLS.has(symbol.name)) throw new Error(`${symbol.name} is not a syscall this program may use`);
    code[offset + 1] = code[offset + 1]! & 0x0f;
    code.writeUInt32LE(murmur3(symbol.name), offset + 4);
  } else if (type === R_BPF_64_32 && code[offset + 1]! >> 4 === PSEUDO_CALL) {
    // A call within the code: the immediate is the distance from the next instruction, in instructions. Against a
    // section symbol the compiler left the target there, counted from before the first instruction.
    const addend = code.readInt32LE(offset + 4);
    const target = symbol.value / INSTRUCTION + addend + 1;
    code.writeInt32LE(target - offset / INSTRUCTION - 1, offset + 4);
  } else {
    throw new Error(`unsupported relocation ${type} against ${symbol.name}`);
  }
}
