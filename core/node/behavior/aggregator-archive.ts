import type { SchemaTypes } from '../../../schemas/types.ts';
import type { LeafArchive } from '../../behavior/leaf-archive.ts';
import type { LeafList } from '../../behavior/leaf-list.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../bytes.ts';
import { ClientError } from '../../client/client-error.ts';
import { HttpCaller } from '../../client/http-caller.ts';

const PAGE = 1_000;
const TIMEOUT = 15_000;

/** What is needed of an element of `GET /epochs/:agent_id/:epoch/envelopes`. */
interface HeldEnvelope {
  readonly seq: number;
  readonly bytes_b64: string;
}

/** The leaf lists and receipts that an aggregator keeps. */
export function aggregatorArchive(url: string): LeafArchive {
  const http = new HttpCaller({ url, timeout: TIMEOUT });
  return {
    name: url,
    async store(key, list) {
      const once = `leaves-${key}-${list.epoch}-${toHex(list.root)}`;
      const stored = await missing(() => http.post<object>('/leaves', leafListJson(key, list), once).then(() => true));
      return stored ?? false;
    },
    list: (key, epoch) =>
      missing(async () => readLeafList(await http.get<SchemaTypes['leaf-list']>(`/leaves/${key}/${epoch}`))),
    async *held(key, epoch) {
      for (let after = 0; ; ) {
        const query = { after, limit: PAGE };
        const page = await missing(() => http.get<HeldEnvelope[]>(`/epochs/${key}/${epoch}/envelopes`, query));
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

export function leafListJson(key: string, list: LeafList): SchemaTypes['leaf-list'] {
  const { epoch, count, root, leaves, signature } = list;
  return {
    agent_id: key,
    epoch,
    count,
    root: toHex(root),
    leaves_b64: toBase64(leaves),
    signature_b64: toBase64(signature),
  };
}

/** Undefined when the text is no list; whether it is true has to be verified. */
export function readLeafList(json: SchemaTypes['leaf-list']): LeafList | undefined {
  const root = fromHex(json.root, 32);
  const leaves = fromBase64(json.leaves_b64);
  const signature = fromBase64(json.signature_b64);
  if (!root || !leaves || signature?.length !== 64) return undefined;
  return { epoch: json.epoch, count: json.count, root, leaves, signature };
}

async function missing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}
