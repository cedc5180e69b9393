import type { Request } from './entrance.ts';
import { DEAL_EXTENSION } from './objects.ts';
import { Refusal } from './refusal.ts';

/** Requires version 1.0: a request that names none is one of 0.3. */
export function requireVersion({ headers, query }: Pick<Request, 'headers' | 'query'>): void {
  const version = (headers['a2a-version'] || query['A2A-Version'] || '0.3').trim();
  if (version === '1.0') return;
  const detail = 'This agent speaks A2A 1.0: send the header A2A-Version: 1.0.';
  throw new Refusal('VERSION_NOT_SUPPORTED', { detail, metadata: { supported: '1.0' } });
}

/** The header that names the extensions of the request that are in force. */
export function activated({ headers }: Pick<Request, 'headers'>): Readonly<Record<string, string>> {
  const wanted = (headers['a2a-extensions'] ?? '').split(',').map((one) => one.trim());
  return wanted.includes(DEAL_EXTENSION) ? { 'a2a-extensions': DEAL_EXTENSION } : {};
}

/** Whether a content type is one of these, whatever its parameters. */
export function isJson(type: string | undefined, allowed: readonly string[]): boolean {
  return allowed.includes((type ?? '').split(';')[0]!.trim().toLowerCase());
}

/** The JSON of a body; undefined for one that is empty, where it may be. */
export async function bodyOf(body: AsyncIterable<Uint8Array> | undefined, mayBeEmpty = false): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.length === 0 && mayBeEmpty) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('parse');
  }
}
