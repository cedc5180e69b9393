import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Problem } from '../../platform/problem.ts';

/**
 * Replaces `{ "$env": "NAME" }` and `{ "$file": "path" }` anywhere in a value by what they name; a file's trailing
 * newline is cut. References below a plugin that is not enabled are left alone.
 */
export function resolveReferences(
  value: unknown,
  from: { folder: string; env: Readonly<Record<string, string | undefined>> },
  problems: Problem[],
  where = '',
): unknown {
  if (Array.isArray(value)) return value.map((item, i) => resolveReferences(item, from, problems, `${where}[${i}]`));
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value);
  const only = keys.length === 1 ? keys[0] : undefined;
  const target = only === undefined ? undefined : (value as Record<string, unknown>)[only];
  if (only === '$env' || only === '$file') {
    if (typeof target !== 'string' || target === '') {
      problems.push({ where, what: `${only} must name ${only === '$env' ? 'a variable' : 'a file'}` });
      return undefined;
    }
    return only === '$env' ? fromVariable(target, from.env, problems, where) : fromFile(target, from, problems, where);
  }
  if ((value as { enabled?: unknown }).enabled === false && where.startsWith('plugins.')) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      resolveReferences(inner, from, problems, where ? `${where}.${key}` : key),
    ]),
  );
}

function fromVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
  where: string,
): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') {
    problems.push({ where, what: `the environment variable ${name} is not set`, hint: `set it, or remove the key` });
  }
  return text;
}

function fromFile(path: string, from: { folder: string }, problems: Problem[], where: string): string | undefined {
  try {
    return readFileSync(resolve(from.folder, path), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'an error';
    problems.push({ where, what: `the file ${path} cannot be read (${reason})` });
    return undefined;
  }
}
