import { Command } from 'ioredis';
import type { Operand } from './batch-arguments.ts';

const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;
/** More than the head of an operand takes: `$`, digits, CR LF and the CR LF behind it. */
const AROUND = 16;

/**
 * A command of many operands, encoded into one buffer. ioredis would put a text of all of them together, make it flat and
 * encode that, which costs twice as much.
 */
export class EncodedCommand extends Command {
  readonly #bytes: Buffer;

  /** `head` is what ioredis knows of the arguments; replies are texts, or buffers with null. */
  constructor(name: string, head: readonly string[], operands: readonly Operand[], replies: 'utf8' | null = 'utf8') {
    super(name, [...head], { replyEncoding: replies });
    this.#bytes = encode([name, ...head], operands);
  }

  override toWritable(): Buffer {
    return this.#bytes;
  }
}

function encode(...parts: readonly (readonly Operand[])[]): Buffer {
  let most = AROUND;
  let count = 0;
  const lengths: number[] = [];
  for (const part of parts) {
    count += part.length;
    for (const text of part) {
      const length = Buffer.byteLength(text);
      lengths.push(length);
      most += length + AROUND;
    }
  }
  const bytes = Buffer.allocUnsafe(most);
  let at = bytes.write(`*${count}\r\n`, 'latin1');
  let place = 0;
  for (const part of parts) {
    for (const text of part) {
      const length = lengths[place++]!;
      bytes[at++] = DOLLAR;
      at = writeDigits(bytes, at, length);
      bytes[at++] = CR;
      bytes[at++] = LF;
      if (typeof text !== 'string') at += text.copy(bytes, at);
      else at += length === text.length ? bytes.write(text, at, 'latin1') : bytes.write(text, at);
      bytes[at++] = CR;
      bytes[at++] = LF;
    }
  }
  return bytes.subarray(0, at);
}

function writeDigits(bytes: Buffer, at: number, value: number): number {
  let end = at + 1;
  for (let left = value; left >= 10; left = Math.floor(left / 10)) end++;
  for (let place = end - 1, left = value; place >= at; place--, left = Math.floor(left / 10)) {
    bytes[place] = 0x30 + (left % 10);
  }
  return end;
}
