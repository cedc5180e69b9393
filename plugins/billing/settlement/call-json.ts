/** The part of `fetch` that the clients of this library use. */
export type Fetch = (url: string, init?: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface FetchAnswer {
  readonly status: number;
  text(): Promise<string>;
}

/** A service answered with an error, or with another shape than it documents. */
export class SettlementError extends Error {
  override name = 'SettlementError';
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }

  /** Whether the service has said something about the request: not that it was away, failed or had too much to do. */
  get isAnswer(): boolean {
    return this.cause === undefined && (this.status === undefined || (this.status < 500 && this.status !== 429));
  }
}

const TIMEOUT_MS = 30_000;
const MAX_TEXT = 2 * 1024 * 1024;

/** The JSON of a 2xx answer. Rejects with a SettlementError that says which service and which status. */
export async function callJson(call: Fetch, service: string, url: string, body?: unknown): Promise<unknown> {
  let answer: FetchAnswer;
  let text: string;
  try {
    answer = await call(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await answer.text();
  } catch (cause) {
    throw new SettlementError(`the ${service} did not answer`, undefined, cause);
  }
  const { status } = answer;
  if (text.length > MAX_TEXT) throw new SettlementError(`the ${service} answered more than 2 MiB`, status);
  if (status < 200 || status > 299)
    throw new SettlementError(`the ${service} answered with ${status}${said(text)}`, status);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SettlementError(`the ${service} answered no JSON`, status, cause);
  }
}

/** The service's own sentence, where it gives one. */
function said(text: string): string {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? `: ${message.slice(0, 200)}` : '';
  } catch {
    return '';
  }
}

/** Members of what a service answered; anything that does not fit is a SettlementError. */
export class Reading {
  readonly #service: string;
  readonly #value: unknown;
  readonly #place: string;

  constructor(service: string, value: unknown, place = 'its answer') {
    this.#service = service;
    this.#value = value;
    this.#place = place;
  }

  get raw(): unknown {
    return this.#value;
  }

  at(member: string): Reading {
    if (typeof this.#value !== 'object' || this.#value === null || Array.isArray(this.#value))
      throw this.wrong('an object');
    return new Reading(this.#service, (this.#value as Record<string, unknown>)[member], member);
  }

  list(): Reading[] {
    if (!Array.isArray(this.#value)) throw this.wrong('a list');
    return this.#value.map((one, index) => new Reading(this.#service, one, `${this.#place}[${index}]`));
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.wrong('a text');
    return this.#value;
  }

  number(): number {
    if (typeof this.#value !== 'number' || !Number.isFinite(this.#value) || this.#value < 0)
      throw this.wrong('a number that is not negative');
    return this.#value;
  }

  /** An integer of minor units, as a number or as digits. */
  units(): bigint {
    const value = this.#value;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
    if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
    throw this.wrong('an integer of minor units');
  }

  wrong(expected: string): SettlementError {
    return new SettlementError(`the ${this.#service} answered another shape: ${this.#place} is not ${expected}`);
  }
}
