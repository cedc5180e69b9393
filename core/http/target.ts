import { MeshError } from '../contracts/errors.ts';

/** A request target taken apart: `path` and `search` as sent, the latter without its question mark. */
export interface Target {
  readonly path: string;
  readonly search: string;
}

export type Query = Record<string, string | string[]>;

/** Refuses targets with malformed percent escapes or invalid UTF-8, which routers would otherwise pass on undecoded. */
export function parseTarget(target: string): Target {
  if (target.includes('%')) checkEscapes(target);
  if (!target.startsWith('/')) throw new MeshError('invalid_request', 'The request target must begin with a slash.');
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, search: '' };
  return { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

/** The decoded parameters of a query; a repeated one is a list. */
export function parseQuery(search: string): Query {
  const query: Query = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    const earlier = query[name];
    // Not a list made anew for each: a target holds thousands of one name, and nobody is known yet.
    if (earlier === undefined) query[name] = value;
    else if (typeof earlier === 'string') query[name] = [earlier, value];
    else earlier.push(value);
  }
  return query;
}

function checkEscapes(target: string): void {
  try {
    decodeURIComponent(target);
  } catch {
    throw new MeshError('invalid_request', {
      detail: 'The address holds a malformed percent escape.',
      fields: [{ pointer: '', message: 'must be percent-encoded UTF-8' }],
    });
  }
}
