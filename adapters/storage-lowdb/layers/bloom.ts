const BITS_PER_KEY = 10;
const PROBES = 6;

/** Tells which keys are certainly not in a run, so that nothing is read for them; wrong about one in a hundred others. */
export class Bloom {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  static for(keys: number): Bloom {
    return new Bloom(Buffer.alloc(Math.max(8, Math.ceil((keys * BITS_PER_KEY) / 8))));
  }

  add({ first, step }: KeyHash): void {
    const bits = this.bytes.length * 8;
    for (let i = 0, hash = first; i < PROBES; i++, hash = (hash + step) >>> 0) {
      const bit = hash % bits;
      this.bytes[bit >> 3]! |= 1 << (bit & 7);
    }
  }

  mayHold({ first, step }: KeyHash): boolean {
    const bits = this.bytes.length * 8;
    for (let i = 0, hash = first; i < PROBES; i++, hash = (hash + step) >>> 0) {
      const bit = hash % bits;
      if ((this.bytes[bit >> 3]! & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

export interface KeyHash {
  readonly first: number;
  readonly step: number;
}

export function hashKey(key: string): KeyHash {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return { first: mix(a), step: mix(b) | 1 };
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  return Math.imul(mixed, 0xc2b2ae35) >>> 0;
}
