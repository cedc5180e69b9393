import { readAtMost } from '../../client/read-at-most.ts';
import { messageOf } from '../../platform/problem.ts';

/** Bytes of an answer, and characters of one event. */
const MOST_ANSWER = 16 * 1024 * 1024;
/** Calls that run at a time; the next line is read when one of them has ended. */
const MOST_AT_ONCE = 64;
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;

interface BridgeParts {
  readonly url: string;
  readonly secret: string | undefined;
  /** Writes one message for the host. */
  readonly say: (message: unknown) => void;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Hands each message of a host to a node by HTTP, and what the node answers back. */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #running = new Map<unknown, { readonly call: AbortController; readonly done: Promise<void> }>();
  /** Agreed by the handshake of older revisions. */
  #agreed: string | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Resolves when the next message may come. */
  async take(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.#parts.say(errorOf(null, PARSE_ERROR, 'This line is no JSON.'));
      return;
    }
    // Over HTTP a call is taken back by leaving it.
    if (message?.method === 'notifications/cancelled') this.#running.get(message.params?.requestId)?.call.abort();
    while (this.#running.size >= MOST_AT_ONCE) await Promise.race([...this.#running.values()].map(({ done }) => done));
    const key = message?.id ?? Symbol('a message without an answer');
    const call = new AbortController();
    const done = this.#pass(message, line, call.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, { call, done });
    // Calls after the handshake name the version it agreed on.
    if (message?.method === 'initialize') await done;
  }

  /** Resolves when every answer has been given. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #pass(message: Message, body: string, signal: AbortSignal): Promise<void> {
    const { url } = this.#parts;
    try {
      const headers = this.#headersOf(message);
      // A redirect would have this process hand the words of the model to whom nobody named.
      const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body, signal, redirect: 'manual' });
      if (answer.status >= 300 && answer.status < 400) {
        await answer.body?.cancel();
        return this.#fail(message, `${url} sends callers elsewhere; name the node itself with --url`);
      }
      const type = answer.headers.get('content-type') ?? '';
      if (type.startsWith('text/event-stream')) return await this.#follow(answer, message);
      const text = new TextDecoder().decode(await readAtMost(answer, MOST_ANSWER));
      if (answer.status === 202 || text === '') return;
      if (type.startsWith('application/problem+json')) return this.#fail(message, problemOf(text, answer.status));
      this.#hear(JSON.parse(text), message);
    } catch (error) {
      if (!signal.aborted) this.#fail(message, `the node at ${url} did not answer: ${messageOf(error)}`);
    }
  }

  #headersOf({ method, params }: Message): Record<string, string> {
    const { secret } = this.#parts;
    const version = params?._meta?.[VERSION] ?? this.#agreed;
    const name = params?.name ?? params?.uri;
    const modern = params?._meta?.[VERSION] !== undefined;
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
      ...(modern && method !== undefined && { 'mcp-method': headerText(method) }),
      ...(modern && typeof name === 'string' && { 'mcp-name': headerText(name) }),
    };
  }

  async #follow(answer: Response, message: Message): Promise<void> {
    let held = '';
    const decoder = new TextDecoder();
    for await (const bytes of answer.body!) {
      held += decoder.decode(bytes, { stream: true });
      const events = held.split(/\r?\n\r?\n/);
      held = events.pop()!;
      if (held.length > MOST_ANSWER) throw new Error(`an event has more than ${MOST_ANSWER} characters`);
      for (const event of events) {
        const data = event
          .split(/\r?\n/)
          .filter((one) => one.startsWith('data:'))
          .map((one) => one.slice(5).trimStart());
        if (data.length > 0) this.#hear(JSON.parse(data.join('\n')), message);
      }
    }
  }

  #hear(answer: unknown, { method }: Message): void {
    const agreed = (answer as { readonly result?: { readonly protocolVersion?: unknown } })?.result?.protocolVersion;
    if (method === 'initialize' && typeof agreed === 'string') this.#agreed = agreed;
    this.#parts.say(answer);
  }

  #fail({ id }: Message, reason: string): void {
    if (id !== undefined) this.#parts.say(errorOf(id, INTERNAL_ERROR, reason));
  }
}

function errorOf(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Why the node refused, in its words. */
function problemOf(text: string, status: number): string {
  const { title, detail } = JSON.parse(text) as { readonly title?: string; readonly detail?: string };
  const way = status === 401 ? ' Name its secret with --secret, or its data folder with --data-dir.' : '';
  return `${detail ?? title ?? `the node answered ${status}`}${way}`;
}

/** As the protocol writes names that a header cannot carry. */
function headerText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?.*\?=$/.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
