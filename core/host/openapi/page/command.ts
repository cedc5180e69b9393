import type { Schema } from '../example.ts';

/** One operation of the API document with its place. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Schema;
}

/**
 * A line for a shell that makes this call with the document's examples; `$API_SECRET` stands for the secret, and
 * `$AGENT_TOKEN` for what `mesh token` prints for this call.
 */
export function commandFor({ method, path, operation }: Placed, base: string): string {
  const target = base + filled(path, operation) + query(operation);
  const auth = credential((operation['security'] ?? []).flatMap((one: Schema) => Object.keys(one)));
  if (operation['x-frame']) return ['npx wscat', ...auth, '-c', quoted(target.replace(/^http/, 'ws'))].join(' ');
  const verb = method === 'get' ? [] : ['-X', method.toUpperCase()];
  if (operation['x-event']) verb.push('-N');
  return ['curl', ...verb, quoted(target), ...auth, ...headers(operation), ...body(operation)].join(' ');
}

function credential(guards: readonly string[]): string[] {
  if (guards.length === 0) return [];
  return [`-H "authorization: Bearer ${guards.includes('agent') ? '$AGENT_TOKEN' : '$API_SECRET'}"`];
}

function filled(path: string, operation: Schema): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const found = (operation['parameters'] as Schema[]).find((one) => one['in'] === 'path' && one['name'] === name);
    return encodeURIComponent(String(found?.['example'] ?? name));
  });
}

/** Only what must be given: the line shall work as it is. */
function query(operation: Schema): string {
  const needed = (operation['parameters'] as Schema[]).filter((one) => one['in'] === 'query' && one['required']);
  const pairs = needed.map((one): [string, string] => [one['name'], String(one['example'])]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Those that must be there. */
function headers(operation: Schema): string[] {
  const needed = (operation['parameters'] as Schema[]).filter((one) => one['in'] === 'header' && one['required']);
  return needed.flatMap((one) => ['-H', quoted(`${one['name']}: ${one['example']}`)]);
}

function body(operation: Schema): string[] {
  const [type, media] = Object.entries((operation['requestBody']?.content ?? {}) as Record<string, Schema>)[0] ?? [];
  if (!type || !media) return [];
  const { example } = media;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return ['-H', quoted(`content-type: ${type}`), '-d', quoted(text)];
}

function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
