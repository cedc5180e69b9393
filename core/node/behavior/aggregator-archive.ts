import type { SchemaTypes } from '../../../schemas/types.ts';
import type { LeafArchive } from '../../behavior/leaf-archive.ts';
import { HASH_LENGTH } from '../../behavior/merkle.ts';
import { concatBytes, fromBase64, fromHex, toHex } from '../../bytes.ts';
import { ClientError, refusal } from '../../client/client-error.ts';
import { HttpCaller } from '../../client/http-caller.ts';

const PAGE = 1_000;
const TIMEOUT = 15_000;
/** Such an aggregator keeps no lists, or none as long as this one. */
const NEVER_KEPT: ReadonlySet<number> = new Set([404, 405, 413]);

/** The leaf lists and receipts that an aggregator keeps. */
export function aggregatorArchive(url: string): LeafArchive {
  const http = new HttpCaller({ url, timeout: TIMEOUT });
  const base = url.replace(/\/$/, '');
  return {
    name: url,
    async store(key, { epoch, leaves, signature }) {
      const path = `${placeOf(key, epoch)}/leaves?signature=${toHex(signature)}`;
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await call(base + path, { method: 'PUT', headers, body: leaves as Uint8Array<ArrayBuffer> });
      if (response.ok) return true;
      if (NEVER_KEPT.has(response.status)) return false;
      throw await refusal(`PUT ${path}`, response);
    },
    async list(key, epoch) {
      const place = placeOf(key, epoch);
      const head = await found(() => http.get<SchemaTypes['leaf-list']>(place));
      if (!head) return undefined;
      const response = await call(`${base}${place}/leaves`);
      if (!response.ok) return undefined;
      const leaves = await bytesOf(response, head.count * HASH_LENGTH);
      const root = fromHex(head.root, HASH_LENGTH);
      const signature = fromBase64(head.signature);
      return leaves && root && signature ? { epoch, count: head.count, root, leaves, signature } : undefined;
    },
    async *held(key, epoch) {
      for (let after = 0; ; ) {
        const query = { after, limit: PAGE };
        const path = `${placeOf(key, epoch)}/envelopes`;
        const page = await found(() => http.get<SchemaTypes['epoch-envelopes']>(path, query));
        for (const { bytes_b64 } of page ?? []) {
          const bytes = fromBase64(bytes_b64);
          if (bytes) yield bytes;
        }
        const last = page?.at(-1)?.seq ?? 0;
        if (!page || page.length < PAGE || last <= after) return;
        after = last;
      }
    },
  };
}

function placeOf(key: string, epoch: number): string {
  return `/epochs/${key}/${epoch}`;
}

function call(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT) });
}

/** The body, if it is exactly so long; no more of it is read. */
async function bytesOf(response: Response, length: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > length) return undefined;
    parts.push(part);
  }
  return size === length ? concatBytes(...parts) : undefined;
}

async function found<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}
