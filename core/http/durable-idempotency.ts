import { MeshError } from '../contracts/errors.ts';
import { toHex } from '../platform/bytes.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Space } from '../storage/space.ts';
import type { Tx } from '../storage/transaction.ts';
import { answerBytes, type CallRecord, calls, credentials, keptAnswer, storedAnswer } from './call-records.ts';
import { type Claim, type IdempotencyStore, KEEP, type KeyedCall, type StoredAnswer } from './idempotency.ts';

export interface DurableIdempotencyOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly limits?: Partial<IdempotencyLimits>;
}

export interface IdempotencyLimits {
  /** Answered calls remembered, and the bytes of their answers; beyond, the one that would go first goes. */
  readonly calls: number;
  readonly bytes: number;
  /** One-request credentials remembered; beyond, calls with further ones are put off, for none may be used twice. */
  readonly credentials: number;
}

const LIMITS: IdempotencyLimits = { calls: 10_000, bytes: 32 * 1024 * 1024, credentials: 200_000 };
/** Milliseconds the claim of a process that died holds up a repetition. */
export const CLAIM = 15_000;
/** How often claims are kept alive and answers swept while there are calls. */
const ROUND = CLAIM / 3;
const SWEEP = 100;

/** The idempotency store over the node's own store. */
export class DurableIdempotency implements IdempotencyStore {
  readonly #options: DurableIdempotencyOptions;
  readonly #limits: IdempotencyLimits;
  /** Calls this process runs now, with their claims. */
  readonly #running = new Map<string, string>();
  #credentials = 0;
  #cancel: (() => void) | undefined;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: DurableIdempotencyOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  async begin(call: KeyedCall): Promise<Claim> {
    const { space, random } = this.#options;
    const { operation, credential } = call;
    this.#watch();
    if (credential && !(await this.#hasRoom())) {
      throw new MeshError('rate_limited', { detail: 'Too many credentials are in use.', retryAfter: 60 });
    }
    const claim = toHex(random.bytes(16));
    const reads = [calls.ref(operation), ...(credential ? [credentials.ref(credential.id)] : [])];
    const { value } = await space.tx(reads, (tx) => claimed(tx, call, claim));
    if (value.state === 'new') this.#running.set(operation, claim);
    return value;
  }

  async finish(call: KeyedCall, claim: string, answer: StoredAnswer): Promise<void> {
    this.#running.delete(call.operation);
    const ref = calls.ref(call.operation);
    const kept = keptAnswer(answer);
    await this.#options.space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (known && known.claim !== claim) return;
      const { fingerprint, until } = call;
      tx.put(ref, { fingerprint, claim, until, answered: true, ...kept });
      tx.add(answerBytes, kept.bytes);
    });
  }

  async abandon({ operation, fingerprint, until }: KeyedCall, claim: string, end: 'refused' | 'failed'): Promise<void> {
    this.#running.delete(operation);
    const ref = calls.ref(operation);
    await this.#options.space.tx([ref], (tx) => {
      if (tx.get(ref)?.claim !== claim) return;
      if (end === 'refused') tx.del(ref);
      else tx.put(ref, { fingerprint, claim, until, answered: true, failed: true, bytes: 0 });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#round;
  }

  /** Whether another credential can be remembered. Counts anew only when there seems to be no room. */
  async #hasRoom(): Promise<boolean> {
    const { credentials: most } = this.#limits;
    if (this.#credentials >= most) this.#credentials = await this.#options.space.count(credentials);
    return this.#credentials < most;
  }

  #watch(): void {
    if (this.#closed) return;
    this.#cancel ??= this.#options.clock.after(ROUND, () => {
      this.#round = this.#goRound();
    });
  }

  async #goRound(): Promise<void> {
    const { space, log } = this.#options;
    try {
      await this.#keepAlive();
      await this.#sweep();
      this.#credentials = await space.count(credentials);
    } catch (error) {
      if (!this.#closed) log.warn({ error }, 'records of idempotent calls could not be looked after');
    }
    this.#cancel = undefined;
    if (this.#running.size > 0) this.#watch();
  }

  async #keepAlive(): Promise<void> {
    const running = [...this.#running].map(([operation, claim]) => ({ ref: calls.ref(operation), claim }));
    if (running.length === 0) return;
    const reads = running.map(({ ref }) => ref);
    await this.#options.space.tx(reads, (tx) => {
      for (const { ref, claim } of running) {
        const known = tx.get(ref);
        if (known?.claim === claim && !known.answered) tx.put(ref, { ...known, until: tx.now + CLAIM }, { ttl: KEEP });
      }
    });
  }

  /** Takes out answers and failures whose time is over, and the next ones while there are too many. */
  async #sweep(): Promise<void> {
    const { space, clock } = this.#options;
    while (!this.#closed) {
      const rows = await space.page(calls, { index: 'answered', limit: SWEEP });
      let surplus = (await space.count(calls, 'answered')) - this.#limits.calls;
      let bytes = Number(await space.total(answerBytes)) - this.#limits.bytes;
      const leaving = rows.filter(({ value }) => {
        if (value.until > clock.now() && surplus <= 0 && bytes <= 0) return false;
        surplus -= 1;
        bytes -= value.bytes;
        return true;
      });
      if (leaving.length === 0) return;
      const refs = leaving.map(({ id }) => calls.ref(id));
      await space.tx(refs, (tx) => {
        for (const ref of refs) forget(tx, ref);
      });
      if (leaving.length < SWEEP) return;
    }
  }
}

/** Claims an operation for a call, or says what became of an earlier one. */
function claimed(tx: Tx, { operation, fingerprint, credential }: KeyedCall, claim: string): Claim {
  if (credential) {
    const ref = credentials.ref(credential.id);
    const used = tx.get(ref);
    if (used && (used.operation !== operation || used.fingerprint !== fingerprint)) return { state: 'spent' };
    if (!used) tx.put(ref, { operation, fingerprint }, { ttl: Math.max(1, credential.until - tx.now) });
  }
  const ref = calls.ref(operation);
  const known = tx.get(ref);
  const live = known !== undefined && known.until > tx.now;
  if (known && (live || !known.answered)) {
    if (known.fingerprint !== fingerprint) return { state: 'mismatch' };
    if (known.answered && !known.failed) return { state: 'done', answer: storedAnswer(known) };
    if (live && !known.answered) return { state: 'running' };
  }
  if (known) forget(tx, ref);
  const record: CallRecord = { fingerprint, claim, until: tx.now + CLAIM, answered: false, bytes: 0 };
  tx.put(ref, record, { ttl: KEEP });
  return { state: 'new', claim };
}

function forget(tx: Tx, ref: ReturnType<typeof calls.ref>): void {
  const known = tx.get(ref);
  if (!known) return;
  tx.del(ref);
  tx.add(answerBytes, -known.bytes);
}
