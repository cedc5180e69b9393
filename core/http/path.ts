import { invalidField } from '../contracts/errors.ts';

/** `:name` segments of a path and the rest behind `*name`, as text. Malformed percent escapes never reach a handler. */
export type Params<P extends string> = { readonly [K in ParamNames<P>]: string };
export type ParamNames<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer N}`
    ? N
    : P extends `${string}/*${infer N}`
      ? N
      : never;

/**
 * Segments of letters and digits, and `:name` segments; `*name` may be the last segment. A parameter within a segment, such as
 * `/deals/pa:rest`, would take the calls of `/deals/pay` from whoever serves it.
 */
const PATH = /^\/(?:(?:[\w.~-]+|:[A-Za-z_]\w*)\/)*(?:[\w.~-]*|[:*][A-Za-z_]\w*)$/;
const PARAMETER = /([:*])([^/]+)/g;
const MOST = 1_024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSAFE = /[/\\\u0000-\u001f\u007f]/;

export function isPath(path: string): boolean {
  return PATH.test(path);
}

/** The rule of a wildcard, for the author of a path that breaks it. */
export const WILDCARD_RULE = 'a wildcard such as *path is one whole segment, the last, and there is one';

/** The names of its parameters in their order, with those of a wildcard. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, , name = '']) => name);
}

/** `/files/*path` as OpenAPI and AsyncAPI write it: `/files/{path}`. */
export function templateOf(path: string): string {
  return path.replace(PARAMETER, '{$2}');
}

/** The path without the names of its parameters: two with the same shape answer the same requests. */
export function pathShape(path: string): string {
  return path.replace(PARAMETER, '$1');
}

/** The name behind the `*` of a path. */
export function wildcardOf(path: string): string | undefined {
  return /\/\*(\w+)$/.exec(path)?.[1];
}

/**
 * The text in the place of a path's wildcard, decoded segment by segment: nothing in it climbs, and a slash in it is one of the
 * address. A slash at its end is dropped, as it is behind every path. `rest` has no malformed escapes.
 */
export function decodeRest(rest: string, name: string): string {
  const segments = (rest.endsWith('/') ? rest.slice(0, -1) : rest).split('/').map(decodeURIComponent);
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') {
      throw invalidField(`/${name}`, 'must have no segment that is empty, . or ..');
    }
    if (UNSAFE.test(segment)) {
      throw invalidField(`/${name}`, 'must have no encoded slash, backslash or control character');
    }
  }
  const value = segments.join('/');
  if (value.length > MOST) throw invalidField(`/${name}`, 'must have at most 1024 characters');
  return value;
}
