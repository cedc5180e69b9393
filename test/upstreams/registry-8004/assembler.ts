import { writeProgram } from '../../../adapters/ledger-solana/program/linker/elf-program.ts';
import { murmur3 } from '../../../adapters/ledger-solana/program/linker/murmur3.ts';

type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Width = 'byte' | 'word' | 'double';

const LOAD: Readonly<Record<Width, number>> = { byte: 0x71, word: 0x61, double: 0x79 };
const STORE: Readonly<Record<Width, number>> = { byte: 0x73, word: 0x63, double: 0x7b };

/** Instructions of the virtual machine, written one by one, so that a program for tests needs no compiler. */
export class Assembler {
  readonly #code: Buffer[] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumps: { readonly at: number; readonly label: string }[] = [];

  label(name: string): void {
    this.#labels.set(name, this.#code.length);
  }

  set(to: Register, value: bigint | number): void {
    const bits = BigInt.asUintN(64, BigInt(value));
    this.#emit(0x18, to, 0, 0, Number(bits & 0xffff_ffffn));
    this.#emit(0, 0, 0, 0, Number(bits >> 32n));
  }

  copy(to: Register, from: Register): void {
    this.#emit(0xbf, to, from, 0, 0);
  }

  add(to: Register, value: number): void {
    this.#emit(0x07, to, 0, 0, value);
  }

  addRegister(to: Register, from: Register): void {
    this.#emit(0x0f, to, from, 0, 0);
  }

  multiply(to: Register, value: number): void {
    this.#emit(0x27, to, 0, 0, value);
  }

  and(to: Register, value: number): void {
    this.#emit(0x57, to, 0, 0, value);
  }

  load(width: Width, to: Register, at: Register, offset: number): void {
    this.#emit(LOAD[width], to, at, offset, 0);
  }

  store(width: Width, at: Register, offset: number, from: Register): void {
    this.#emit(STORE[width], at, from, offset, 0);
  }

  jump(label: string): void {
    this.#jump(0x05, 0, 0, 0, label);
  }

  jumpIf(register: Register, is: 'equal' | 'other' | 'more', value: number, label: string): void {
    this.#jump({ equal: 0x15, other: 0x55, more: 0x25 }[is], register, 0, value, label);
  }

  jumpUnlessSame(one: Register, other: Register, label: string): void {
    this.#jump(0x5d, one, other, 0, label);
  }

  call(syscall: string): void {
    this.#emit(0x85, 0, 0, 0, murmur3(syscall));
  }

  exit(): void {
    this.#emit(0x95, 0, 0, 0, 0);
  }

  /** The file that a cluster loads; it begins with its first instruction. */
  program(): Buffer {
    for (const { at, label } of this.#jumps) {
      const target = this.#labels.get(label);
      if (target === undefined) throw new Error(`there is no label ${label}`);
      this.#code[at]!.writeInt16LE(target - at - 1, 2);
    }
    return writeProgram({ constants: Buffer.alloc(0), code: Buffer.concat(this.#code), entry: 0 });
  }

  #jump(code: number, to: number, from: number, value: number, label: string): void {
    this.#jumps.push({ at: this.#code.length, label });
    this.#emit(code, to, from, 0, value);
  }

  #emit(code: number, to: number, from: number, offset: number, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes[0] = code;
    bytes[1] = to | (from << 4);
    bytes.writeInt16LE(offset, 2);
    bytes.writeUInt32LE(value >>> 0, 4);
    this.#code.push(bytes);
  }
}
