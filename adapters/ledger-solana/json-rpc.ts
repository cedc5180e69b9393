import { MeshError } from '../../core/contracts/errors.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { Answer } from './answers.ts';
import { parseExactly } from './exact-json.ts';
import { MIN_CONTEXT_SLOT_NOT_REACHED, RpcRefusal, RpcSilence } from './rpc-faults.ts';
import { RpcStanding } from './rpc-standing.ts';

export { RpcRefusal } from './rpc-faults.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
const FRESH_MS = 1_000;
/** Answers of a node that lags behind or is not healthy: another try may reach a better one. */
const TEMPORARY: ReadonlySet<number> = new Set([-32004, -32005, -32014, MIN_CONTEXT_SLOT_NOT_REACHED]);
/** The code for a transaction that its simulation refuses: no fault of the node. */
const PREFLIGHT_FAILED = -32002;

/** JSON-RPC over HTTP. The Connection of web3.js is not used: it hides the structured errors, and has no time limit. */
export class JsonRpc {
  readonly standing: RpcStanding;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #lastId = 0;

  constructor(url: string, clock: Clock, standing: RpcStanding = new RpcStanding({ clock })) {
    this.#url = url;
    this.#clock = clock;
    this.standing = standing;
  }

  /** The same as `call`, with an answer that counts as a fault of this node where it has not the shape it must have. */
  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<Answer> {
    return this.answerOf(method, await this.call(method, params, signal));
  }

  /** An answer of this node, so that nonsense in it is put down to the node. */
  answerOf(method: string, result: unknown): Answer {
    const { name } = this.standing;
    return new Answer(result, method, {
      name,
      nonsense: (reason) => this.standing.failed(method, 'nonsense', reason),
    });
  }

  /** The error for an answer from before the slot that was asked for; puts it down to this node. */
  behind(method: string, slot: number, atLeast: number): MeshError {
    this.standing.failed(method, 'behind', `slot ${slot} in place of ${atLeast}`);
    return new MeshError('ledger_unavailable', {
      detail: `${this.standing.name} answered from slot ${slot}, before slot ${atLeast}.`,
      cause: new RpcRefusal(MIN_CONTEXT_SLOT_NOT_REACHED, 'min context slot not reached', undefined),
    });
  }

  /** The result, after a few tries if need be; fails with `ledger_unavailable`. For calls that are safe to repeat. */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(method, params, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === ATTEMPTS || !isTemporary(error) || this.#closing.signal.aborted) {
          throw this.#unavailable(method, error);
        }
        const asked = error instanceof RpcSilence ? error.retryAfterMs : undefined;
        await this.#clock.sleep(Math.min(asked ?? FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS), signal);
      }
    }
  }

  /** One try; fails with `RpcRefusal` when the node refused, and with another error when its effect is unknown. */
  async once(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    this.standing.called(method);
    try {
      const result = await this.#exchange(method, params, signal);
      this.standing.answered(method);
      return result;
    } catch (error) {
      const left = signal?.aborted || this.#closing.signal.aborted;
      if (error instanceof RpcSilence && !left) this.standing.failed(method, error.kind, error.message);
      if (error instanceof RpcRefusal && error.code !== PREFLIGHT_FAILED)
        this.standing.failed(method, 'refused', `${error.code} ${error.message}`);
      throw error;
    }
  }

  /** Asks for the slot, unless anything was answered within the last second; no answer within `ms` counts as a silence. */
  async look(ms: number): Promise<void> {
    if (this.standing.quietFor < FRESH_MS) return;
    const late = new AbortController();
    const cancel = this.#clock.after(ms, () => late.abort());
    try {
      await this.once('getSlot', [], late.signal);
    } catch {
      if (late.signal.aborted) this.standing.failed('getSlot', 'silent', `no answer within ${ms} ms`);
    } finally {
      cancel();
    }
  }

  /** Ends the calls that are running. */
  close(): void {
    this.#closing.abort(new RpcSilence('silent', 'the ledger is closed'));
  }

  /** The URL stays out of it: it may carry an API key. */
  #unavailable(method: string, cause: unknown): MeshError {
    const detail = `${this.standing.name} did not answer ${method}: ${(cause as Error).message}.`;
    return new MeshError('ledger_unavailable', { detail, cause });
  }

  async #exchange(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const limits = [AbortSignal.timeout(TIMEOUT_MS), this.#closing.signal, ...(signal ? [signal] : [])];
    const text = await this.#post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), AbortSignal.any(limits));
    return resultOf(text, id);
  }

  async #post(body: string, signal: AbortSignal): Promise<string> {
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(this.#url, { method: 'POST', headers, body, signal, redirect: 'error' });
      if (!response.ok) {
        await response.body?.cancel();
        const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
        const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined;
        throw new RpcSilence('status', `HTTP status ${response.status}`, { retryAfterMs });
      }
      return await boundedText(response);
    } catch (error) {
      if (error instanceof RpcSilence) throw error;
      throw new RpcSilence('silent', silenceOf(error as Error), { cause: error });
    }
  }
}

/** Why nothing came: `fetch failed` says little without the code of the socket's error. */
function silenceOf({ message, cause }: Error): string {
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

/** The result of the call with this id; an answer to any other call is malformed. */
function resultOf(text: string, id: number): unknown {
  let answer: { id?: unknown; result?: unknown; error?: unknown };
  try {
    answer = parseExactly(text) as typeof answer;
  } catch {
    throw new RpcSilence('malformed', 'the answer is no JSON');
  }
  // Of two results JSON.parse takes the last, and nobody knows which one is meant.
  if (text.split('"result":').length > 2) throw new RpcSilence('malformed', 'the answer has two results');
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new RpcSilence('malformed', 'the answer is no object');
  if (answer.id !== id) throw new RpcSilence('malformed', 'the answer is to another call');
  const { result, error } = answer;
  if (error !== undefined && error !== null) throw refusalOf(error, result);
  if (result === undefined) throw new RpcSilence('malformed', 'the answer has no result');
  return result;
}

function refusalOf(error: unknown, result: unknown): Error {
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown };
  if (!Number.isSafeInteger(code) || typeof message !== 'string' || (result !== undefined && result !== null))
    return new RpcSilence('malformed', 'the answer is neither a result nor an error');
  return new RpcRefusal(code as number, message.slice(0, 500), data);
}

function isTemporary(error: unknown): boolean {
  return error instanceof RpcSilence || (error instanceof RpcRefusal && TEMPORARY.has(error.code));
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new RpcSilence('malformed', 'the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
