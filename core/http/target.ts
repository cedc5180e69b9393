import { MeshError } from '../errors.ts';

/** A request target taken apart: `path` as sent, `query` decoded. */
export interface Target {
  readonly path: string;
  readonly query: Record<string, string | string[]>;
}

/** Refuses targets with malformed percent escapes or invalid UTF-8, which routers would otherwise pass on undecoded. */
export function parseTarget(target: string): Target {
  try {
    decodeURIComponent(target);
  } catch {
    throw new MeshError('invalid_request', {
      detail: 'The address holds a malformed percent escape.',
      fields: [{ pointer: '', message: 'must be percent-encoded UTF-8' }],
    });
  }
  if (!target.startsWith('/')) throw new MeshError('invalid_request', 'The request target must begin with a slash.');
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: {} };
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(target.slice(mark + 1))) {
    const earlier = query[name];
    query[name] = earlier === undefined ? value : [...[earlier].flat(), value];
  }
  return { path: target.slice(0, mark), query };
}
