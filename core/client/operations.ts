import { eventFrames } from './event-frames.ts';
import { frames } from './frames.ts';
import type { AnswerKind, CallOptions, HttpCaller, QueryValues, StreamOptions } from './http-caller.ts';

/**
 * Groups of operations, each a line of method, path, letters and the names of its headers. The arguments of a call are the
 * parts of its path, its body, its query with its headers, and options, as far as it has them:
 *
 *     j JSON body      k idempotency key           o object   t text       w WebSocket
 *     b bytes          s signed by the agent       l list     r bytes      e server-sent events
 *     q query          u 503 is an answer too      v any JSON n nothing    c, i resumes by `cursor`, by `id`
 */
type OperationTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

const KINDS: Readonly<Record<string, AnswerKind>> = {
  o: 'object',
  l: 'list',
  v: 'value',
  t: 'text',
  r: 'bytes',
  n: 'nothing',
};

/** The operations of a table as functions. Those of a group are made when it is first used: a client uses few of a hundred and fifty. */
export function operationsOf<Api>(table: OperationTable, http: HttpCaller): Api {
  const api = {};
  for (const [group, lines] of Object.entries(table)) {
    let made: object | undefined;
    const get = () => {
      made ??= Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, operation(line, http)]));
      return made;
    };
    Object.defineProperty(api, group, { enumerable: true, get });
  }
  return api as Api;
}

function operation(line: string, http: HttpCaller): (...given: unknown[]) => unknown {
  const [method = '', template = '', letters = '', named = ''] = line.split(' ');
  const has = (letter: string) => letters.includes(letter);
  const headerNames = named === '' ? [] : named.split(',');
  const kind = KINDS[[...letters].find((letter) => letter in KINDS)!]!;
  const member = has('c') ? 'cursor' : has('i') ? 'id' : undefined;

  function takenApart(given: unknown[]) {
    const rest = [...given];
    const path = template.replace(/\{(\w+)(\*?)\}/g, (_, name: string, wild: string) => part(name, rest.shift(), wild));
    const body = has('j') ? JSON.stringify(rest.shift() ?? {}) : has('b') ? (rest.shift() as Uint8Array) : undefined;
    const query: Record<string, any> = has('q') ? { ...(rest.shift() as QueryValues | undefined) } : {};
    const headers: Record<string, any> = {};
    for (const name of headerNames) {
      headers[name] = query[name];
      delete query[name];
    }
    return { method, path, body, query, headers, options: rest.shift() as CallOptions | undefined };
  }

  if (has('w') || has('e')) {
    const read = has('w') ? frames : eventFrames;
    return (...given) => {
      const { path, query, options } = takenApart(given);
      const { signal } = (options ?? {}) as StreamOptions;
      return read(http, path, { signal, query, ...(member && { member }) });
    };
  }
  return async (...given) => {
    const { options, ...request } = takenApart(given);
    const also = has('u') ? 503 : undefined;
    return http.send({ ...request, ...options, answer: kind, once: has('k'), signed: has('s'), also });
  };
}

/** An id that a stranger gave must not lead to another operation: `..` would, in whatever way it is written. */
function part(name: string, given: unknown, wild: string): string {
  const pieces = wild === '' ? [String(given)] : String(given).split('/');
  if (given == null || pieces.some((piece) => /^\.{0,2}$/.test(piece))) {
    throw new TypeError(`${name} is a part of a path: it may not be absent, empty, . or ..`);
  }
  return pieces.map(encodeURIComponent).join('/');
}
