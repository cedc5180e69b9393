import type { Clock } from '../../core/clock.ts';
import { MeshError } from '../../core/errors.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Answers of a node that lags behind or is not healthy: another try may reach a better one. */
const TEMPORARY: ReadonlySet<number> = new Set([-32004, -32005, -32014, -32016]);

/** The node understood the call and refused it. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The node did not answer, or not properly. `retryAfterMs` when it said how long to wait. */
class RpcSilence extends Error {
  override name = 'RpcSilence';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * JSON-RPC over HTTP. The Connection of web3.js is not used: it hides the structured errors, and has no time limit.
 */
export class JsonRpc {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #lastId = 0;

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  /** The result, after a few tries if need be; fails with `ledger_unavailable`. For calls that are safe to repeat. */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(method, params, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === ATTEMPTS || !isTemporary(error) || this.#closing.signal.aborted) {
          throw unavailable(method, error);
        }
        const asked = error instanceof RpcSilence ? error.retryAfterMs : undefined;
        await this.#clock.sleep(Math.min(asked ?? FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS), signal);
      }
    }
  }

  /** One try; fails with `RpcRefusal` when the node refused, and with another error when it is unknown what it did. */
  async once(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const limits = [AbortSignal.timeout(TIMEOUT_MS), this.#closing.signal, ...(signal ? [signal] : [])];
    const answer = await this.#post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), AbortSignal.any(limits));
    const { result, error } = answer as {
      result?: unknown;
      error?: { code?: unknown; message?: unknown; data?: unknown };
    };
    if (error) throw new RpcRefusal(Number(error.code), String(error.message).slice(0, 500), error.data);
    if (result === undefined) throw new RpcSilence('the answer has no result');
    return result;
  }

  /** Ends the calls that are running. */
  close(): void {
    this.#closing.abort(new RpcSilence('the ledger is closed'));
  }

  async #post(body: string, signal: AbortSignal): Promise<object> {
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(this.#url, { method: 'POST', headers, body, signal, redirect: 'error' });
      if (!response.ok) {
        await response.body?.cancel();
        const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
        throw new RpcSilence(`HTTP status ${response.status}`, seconds >= 0 ? seconds * 1000 : undefined);
      }
      const answer: unknown = JSON.parse(await boundedText(response));
      if (typeof answer !== 'object' || answer === null) throw new RpcSilence('the answer is no object');
      return answer;
    } catch (error) {
      if (error instanceof RpcSilence) throw error;
      throw new RpcSilence((error as Error).message, undefined, error);
    }
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof RpcSilence || (error instanceof RpcRefusal && TEMPORARY.has(error.code));
}

/** The URL stays out of it: it may carry an API key. */
export function unavailable(method: string, cause: unknown): MeshError {
  return new MeshError('ledger_unavailable', {
    detail: `The ledger did not answer ${method}: ${(cause as Error).message}.`,
    cause,
  });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new RpcSilence('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
