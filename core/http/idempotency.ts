import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { MeshError } from '../errors.ts';
import type { Principal } from './route.ts';

/** An answer kept to be given again. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text leaves in one write with its headers, which costs the kernel half as much as a buffer. */
  readonly body: string | Buffer | undefined;
}

/**
 * Remembers what was answered to an operation. `fingerprint` says whether a repetition asks for the same. The store
 * wired by default is memory; one over the node's storage makes keys survive a restart.
 */
export interface IdempotencyStore {
  /** Claims an operation. `new` obliges the caller to `finish` or `abandon` it. */
  begin(operation: string, fingerprint: string): Promise<Claim>;
  finish(operation: string, answer: StoredAnswer): Promise<void>;
  /** Forgets a claim, so that a retry runs again. */
  abandon(operation: string): Promise<void>;
}

export type Claim =
  | { readonly state: 'new' | 'running' | 'mismatch' }
  | { readonly state: 'done'; readonly answer: StoredAnswer };

const KEEP = 24 * 3_600_000;
const MAX_OPERATIONS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

interface Entry {
  readonly fingerprint: string;
  readonly at: number;
  answer?: StoredAnswer;
}

/** Keeps finished answers for a day, at most 10 000 and 32 MiB of them, oldest first out; running ones always. */
export class MemoryIdempotency implements IdempotencyStore {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async begin(operation: string, fingerprint: string): Promise<Claim> {
    this.#evict();
    const entry = this.#entries.get(operation);
    if (!entry) {
      this.#entries.set(operation, { fingerprint, at: this.#clock.now() });
      return { state: 'new' };
    }
    if (entry.fingerprint !== fingerprint) return { state: 'mismatch' };
    return entry.answer ? { state: 'done', answer: entry.answer } : { state: 'running' };
  }

  async finish(operation: string, answer: StoredAnswer): Promise<void> {
    const entry = this.#entries.get(operation);
    if (!entry) return;
    entry.answer = answer;
    this.#bytes += Buffer.byteLength(answer.body ?? '');
  }

  async abandon(operation: string): Promise<void> {
    this.#entries.delete(operation);
  }

  #evict(): void {
    const old = this.#clock.now() - KEEP;
    for (const [operation, { at, answer }] of this.#entries) {
      const over = this.#entries.size >= MAX_OPERATIONS || this.#bytes > MAX_BYTES;
      if (at > old && !over) break;
      if (!answer) continue;
      this.#bytes -= Buffer.byteLength(answer.body ?? '');
      this.#entries.delete(operation);
    }
  }
}

/** The idempotency key of a call: its header, or the one its credential carries. */
export function keyOf(header: string | string[] | undefined, principal: Principal): string | undefined {
  if (header === undefined) return principal.once;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new MeshError('invalid_request', {
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
    fields: [{ pointer: '', message: 'the Idempotency-Key header must be 1 to 255 printable ASCII characters' }],
  });
}

/** The operation of a key: the same key of another principal, or on another route, is another operation. */
export function operationOf(principal: Principal, line: string, key: string): string {
  return hash([principal.kind, principal.id, line, key]);
}

export function fingerprintOf(target: string, body: Uint8Array): string {
  return hash([target, body]);
}

function hash(parts: readonly (string | Uint8Array)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
