import { pipeline } from 'node:stream/promises';
import type { Middleware } from 'koa';
import type { ByteStream } from './call.ts';

export type Context = Parameters<Middleware>[0];

/** The answer to one request. Headers are gathered here and written with the body at once, past those of koa. */
export class Reply {
  readonly requestId: string;
  /** The line of the route, once it is known. */
  route = 'unmatched';
  status = 404;
  /** Names and values in turns, as `writeHead` takes them. */
  readonly #head: string[];

  constructor(requestId: string) {
    this.requestId = requestId;
    this.#head = ['x-request-id', requestId, 'x-content-type-options', 'nosniff'];
  }

  /** Names in lower case; the last value of a name counts. */
  set(name: string, value: string): void {
    const head = this.#head;
    for (let at = 0; at < head.length; at += 2) {
      if (head[at] === name) {
        head[at + 1] = value;
        return;
      }
    }
    head.push(name, value);
  }

  /** Says that another value of this request header may lead to another answer. */
  varyBy(name: string): void {
    const head = this.#head;
    for (let at = 0; at < head.length; at += 2) {
      if (head[at] !== 'vary') continue;
      head[at + 1] += `, ${name}`;
      return;
    }
    head.push('vary', name);
  }

  setAll(headers: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(headers)) this.set(name.toLowerCase(), headers[name]!);
  }

  /** Sends the head alone; the body is written to what it returns. */
  begin(ctx: Context, status: number): Context['res'] {
    this.status = status;
    ctx.respond = false;
    if (ctx.writable) ctx.res.writeHead(status, this.#head);
    return ctx.res;
  }

  /** Sends a body as fast as the client takes it; a fault in it cuts the connection. */
  async stream(ctx: Context, status: number, { size, content }: ByteStream): Promise<void> {
    if (size !== undefined) this.set('content-length', String(size));
    const res = this.begin(ctx, status);
    // A client that went away is no fault.
    await pipeline(content, res).catch((error: unknown) => {
      const gone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!gone) throw new StreamFault(error);
    });
  }

  send(ctx: Context, status: number, body?: string | Buffer): void {
    const { res } = ctx;
    this.status = status;
    ctx.respond = false;
    if (!ctx.writable) {
      res.end();
    } else if (status === 204 || status === 304) {
      res.writeHead(status, this.#head).end();
    } else {
      const length = Buffer.byteLength(body ?? '');
      this.set('content-length', String(length));
      // As many bytes as characters: then Latin-1 is the same bytes and costs less to write.
      const encoding = length === body?.length ? 'latin1' : 'utf8';
      res.writeHead(status, this.#head).end(body, encoding);
    }
  }
}

/** The body of an answer failed after its head was sent. */
export class StreamFault extends Error {
  constructor(cause: unknown) {
    super('the body of an answer failed', { cause });
  }
}
