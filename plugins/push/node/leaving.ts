import { isMeshError } from '../../../core/plugin.ts';
import type {
  AggregatorCalls,
  Carrier,
  Clock,
  Contracts,
  Count,
  Left,
  StrandedLetter,
} from '../../../core/services.ts';
import { SLEEP_STATE } from './shapes.ts';

/** Milliseconds for which an aggregator's word about an agent holds. */
const FRESH = 15_000;
/** Milliseconds for which an aggregator that did not answer is not asked about anybody. */
const REST = 30_000;
const TO_ASK = 900;
const TO_LEAVE = 5_000;
const MOST_KNOWN = 10_000;

interface Known {
  readonly at: number;
  /** The aggregators where it sleeps. */
  readonly where: Promise<readonly string[]>;
}

export interface LeavingParts {
  readonly aggregators: AggregatorCalls;
  readonly contracts: Contracts;
  readonly clock: Clock;
  /** Whether private messages that were signed open are left, too. */
  readonly leaveOpen: boolean;
  readonly left: Count;
}

/** Leaves what sleepers cannot be sent at the aggregators that hold messages for them. */
export class Leaving implements Carrier {
  readonly #parts: LeavingParts;
  readonly #known = new Map<string, Known>();
  readonly #resting = new Map<string, number>();

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  async waits(recipient: string): Promise<boolean> {
    return (await this.#where(recipient)).length > 0;
  }

  async leave({ recipient, envelope, readable }: StrandedLetter): Promise<Left> {
    const where = await this.#where(recipient);
    if (where.length === 0) return { held: false };
    if (readable && !this.#parts.leaveOpen) {
      this.#parts.left({ result: 'open' });
      const reason = 'the recipient sleeps, and an aggregator could read this message: it was signed open';
      return { held: false, alone: true, reason };
    }
    const envelope_b64 = Buffer.from(envelope).toString('base64');
    let reason: string | undefined;
    for (const url of where) {
      const { host } = new URL(url);
      const result = await this.#leftAt(url, recipient, envelope_b64);
      this.#parts.left({ result });
      if (result === 'held') return { held: true, by: host };
      reason ??= `${result} at ${host}`;
    }
    return { held: false, reason };
  }

  async #leftAt(url: string, recipient: string, envelope_b64: string): Promise<string> {
    const { aggregators } = this.#parts;
    try {
      const path = `/agents/${recipient}/pending`;
      const { status, body } = await aggregators.call(url, { path, body: { envelope_b64 }, timeout: TO_LEAVE });
      if (status === 202) return 'held';
      // Awake again, or so full that the next look may find another state.
      this.#known.delete(recipient);
      const { code } = (body ?? {}) as { code?: unknown };
      return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : `status ${status}`;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      return error.code;
    }
  }

  #where(recipient: string): Promise<readonly string[]> {
    const now = this.#parts.clock.now();
    const known = this.#known.get(recipient);
    if (known && now - known.at < FRESH) return known.where;
    this.#known.delete(recipient);
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    const where = this.#ask(recipient);
    this.#known.set(recipient, { at: now, where });
    return where;
  }

  async #ask(recipient: string): Promise<readonly string[]> {
    const { urls } = this.#parts.aggregators;
    const asked = await Promise.all(urls.map((url) => this.#sleepsAt(url, recipient)));
    return urls.filter((_, index) => asked[index]);
  }

  async #sleepsAt(url: string, recipient: string): Promise<boolean> {
    const { aggregators, contracts, clock } = this.#parts;
    if ((this.#resting.get(url) ?? 0) > clock.now()) return false;
    try {
      const { status, body } = await aggregators.call(url, { path: `/agents/${recipient}/sleeping`, timeout: TO_ASK });
      if (status !== 200 || contracts.problems(SLEEP_STATE, body).length > 0) return false;
      return (body as { sleeping: boolean }).sleeping;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      this.#resting.set(url, clock.now() + REST);
      return false;
    }
  }
}
