import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { type Answer, answer, type ByteStream } from '../../core/plugin.ts';

/** Headers of the request that the protocol reads. */
export const READ = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
/** Headers of the answer that are handed on. */
const TOLD = ['allow', 'cache-control', 'x-accel-buffering'] as const;

export interface Knock {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The caller, for steps that are bound to one. */
  readonly principal: string;
  readonly signal: AbortSignal;
}

/** Hands one HTTP request to the protocol's own handler, and its answer back while it is made. */
export async function throughDoor({ fetch }: McpHttpHandler, knock: Knock): Promise<Answer<ByteStream>> {
  const headers = new Headers();
  for (const name of READ) {
    const value = knock.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  // Host and origin were checked by core; the handler reads neither.
  const parsedBody = parsed(knock.body);
  const init: RequestInit = { method: 'POST', headers, signal: knock.signal };
  // A body that is no JSON goes to the handler as it is, which has the protocol's words for it. Any other costs a copy and a stream there.
  const whole = parsedBody === undefined ? { ...init, body: new Uint8Array(knock.body) } : init;
  const response = await fetch(new Request('http://localhost/mcp', whole), {
    authInfo: { token: '', clientId: knock.principal, scopes: [] },
    ...(parsedBody !== undefined && { parsedBody }),
  });
  const told = TOLD.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const type = response.headers.get('content-type') ?? 'application/json';
  return answer<ByteStream>(
    { content: response.body ?? nothing() },
    { status: response.status, headers: { 'content-type': type, ...Object.fromEntries(told) } },
  );
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
