import { writeProgram } from '../../../adapters/ledger-solana/program/linker/elf-program.ts';
import { murmur3 } from '../../../adapters/ledger-solana/program/linker/murmur3.ts';

const LOAD = { byte: 0x71, word: 0x79 } as const;
const STORE = { byte: 0x73, word: 0x7b } as const;

/** Writes small programs for the localnet, one instruction a call. Registers are numbers; memory is a register with an offset. */
export class Assembler {
  readonly #code: number[][] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumps: { readonly at: number; readonly to: string }[] = [];

  set(register: number, value: number): this {
    return this.#add(0xb7, register, 0, 0, value);
  }

  copy(to: number, from: number): this {
    return this.#add(0xbf, to, from);
  }

  add(register: number, value: number): this {
    return this.#add(0x07, register, 0, 0, value);
  }

  addRegister(register: number, other: number): this {
    return this.#add(0x0f, register, other);
  }

  subtractRegister(register: number, other: number): this {
    return this.#add(0x1f, register, other);
  }

  and(register: number, value: number): this {
    return this.#add(0x57, register, 0, 0, value);
  }

  shiftLeft(register: number, bits: number): this {
    return this.#add(0x67, register, 0, 0, bits);
  }

  shiftRight(register: number, bits: number): this {
    return this.#add(0x77, register, 0, 0, bits);
  }

  load(size: keyof typeof LOAD, to: number, from: number, offset = 0): this {
    return this.#add(LOAD[size], to, from, offset);
  }

  store(size: keyof typeof LOAD, at: number, offset: number, from: number): this {
    return this.#add(STORE[size], at, from, offset);
  }

  label(name: string): this {
    this.#labels.set(name, this.#code.length);
    return this;
  }

  jump(to: string): this {
    return this.#jump(0x05, 0, 0, 0, to);
  }

  jumpIfEqual(register: number, other: number, to: string): this {
    return this.#jump(0x1d, register, other, 0, to);
  }

  jumpUnless(register: number, value: number, to: string): this {
    return this.#jump(0x55, register, 0, value, to);
  }

  syscall(name: string): this {
    return this.#add(0x85, 0, 0, 0, murmur3(name) | 0);
  }

  exit(): this {
    return this.#add(0x95);
  }

  program(): Buffer {
    for (const { at, to } of this.#jumps) {
      const target = this.#labels.get(to);
      if (target === undefined) throw new Error(`there is no label ${to}`);
      const bytes = Buffer.alloc(2);
      bytes.writeInt16LE(target - at - 1);
      this.#code[at]!.splice(2, 2, ...bytes);
    }
    return writeProgram({ constants: Buffer.alloc(16), code: Buffer.from(this.#code.flat()), entry: 0 });
  }

  #jump(opcode: number, register: number, other: number, value: number, to: string): this {
    this.#jumps.push({ at: this.#code.length, to });
    return this.#add(opcode, register, other, 0, value);
  }

  #add(opcode: number, to = 0, from = 0, offset = 0, immediate = 0): this {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt8(opcode, 0);
    bytes.writeUInt8((from << 4) | to, 1);
    bytes.writeInt16LE(offset, 2);
    bytes.writeInt32LE(immediate, 4);
    this.#code.push([...bytes]);
    return this;
  }
}
