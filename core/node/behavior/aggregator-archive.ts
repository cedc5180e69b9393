import type { SchemaTypes } from '../../../schemas/types.ts';
import { ClientError } from '../../client/client-error.ts';
import { HttpCaller } from '../../client/http-caller.ts';
import { fromBase64, fromHex, toHex } from '../../platform/bytes.ts';
import type { LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import type { LeafList } from '../../protocol/batches/leaf-list.ts';

const PAGE = 1_000;
const TIMEOUT = 15_000;
/** Such an aggregator keeps no lists, none of this agent, or none as long as this one: waiting would not help. */
const NEVER_KEPT = [403, 404, 405, 413];

/** The fields that this node reads of an element of `GET /epochs/:agent_id/:epoch/envelopes`. */
interface HeldEnvelope {
  readonly seq: number;
  readonly bytes_b64: string;
}

/** The leaf lists and receipts that an aggregator keeps. */
export function aggregatorArchive(url: string): LeafArchive {
  const http = new HttpCaller({ url, timeout: TIMEOUT });
  return {
    name: url,
    async store(key, { epoch, leaves, signature }) {
      const path = `/epochs/${key}/${epoch}/leaves`;
      const stored = () => http.put(path, leaves, { signature: toHex(signature) }).then(() => true);
      return (await missing(stored, NEVER_KEPT)) ?? false;
    },
    list: (key, epoch) =>
      missing(async () => {
        const told = await http.get<SchemaTypes['leaf-list']>(`/epochs/${key}/${epoch}`);
        return leafList(told, await http.bytes(`/epochs/${key}/${epoch}/leaves`));
      }),
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

/** Undefined when it is no list; whether it is true has to be verified. */
function leafList(told: SchemaTypes['leaf-list'], leaves: Uint8Array): LeafList | undefined {
  const root = fromHex(told.root, 32);
  const signature = fromBase64(told.signature);
  if (!root || signature?.length !== 64) return undefined;
  return { epoch: told.epoch, count: told.count, root, leaves, signature };
}

async function missing<T>(call: () => Promise<T>, statuses: readonly number[] = [404]): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ClientError && statuses.includes(error.status)) return undefined;
    throw error;
  }
}
