import { MeshError } from '../../contracts/errors.ts';
import { typed } from '../../contracts/typed.ts';
import { Store, UploadedBlobs } from '../../internal-services.ts';
import { networkOf } from '../../platform/addresses.ts';
import { KeyedCounter } from '../../platform/keyed-counter.ts';
import { answer, type Context, defineFace, route } from '../../plugin.ts';
import { Clock, Metrics } from '../../services.ts';
import { StorageError } from '../../storage/adapter.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { isoTime } from '../times.ts';
import { Holding, keptFor } from './holding.ts';
import { partOf, rangeOf } from './range.ts';

const MIB = 1_048_576;
const LARGEST = 10 * MIB;
const HOUR = 3_600_000;
const DAYS = 30;
const MOST_MIB = 10_240;
/** Uploads of one process, which take up disk before any quota counts them. */
const AT_ONCE = 64;
/** Of one agent, and from one network: an upload may take ten minutes, and keys cost nothing. */
const OF_AGENT = 4;
const OF_NETWORK = 16;

export interface BlobsConfig {
  readonly keepDays?: number;
  readonly mostMiB?: number;
}

export const blobsConfig = typed<BlobsConfig>({
  type: 'object',
  properties: {
    keepDays: {
      description: 'Days that a blob is kept after its last upload; 30 unless given.',
      type: 'integer',
      minimum: 1,
      maximum: 3650,
    },
    mostMiB: {
      description: 'MiB of all uploaded blobs together; 10 240 unless given.',
      type: 'integer',
      minimum: 10,
      maximum: 1_048_576,
    },
  },
});

const text = (description: string, example: string) =>
  typed<string>({ description, type: 'string', maxLength: 1_024, examples: [example] });

const AWAY =
  'the store counts a blob whose file is not here: aggregators that share a store need one storage.blobs; without one, an upload was cut off';

/** A browser neither shows nor runs what anybody uploaded. */
const INERT = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-disposition': 'attachment',
  'content-security-policy': "default-src 'none'; sandbox",
  'accept-ranges': 'bytes',
};

/** Bytes that agents leave under their hash for anybody. */
export const blobsFace = defineFace({
  uses: { store: Store, blobs: UploadedBlobs, clock: Clock, metrics: Metrics },
  routes: {
    upload_blob: route('POST /blobs', {
      auth: 'agent',
      summary: 'Keeps the bytes of the body, 10 MiB at most, under their hash',
      body: 'stream',
      reply: 'uploaded-blob',
      status: 201,
      maxBody: LARGEST,
      errors: ['forbidden', 'quota_exceeded', 'conflict'],
      limit: { per: 'principal', rate: 120, window: 60 },
    }),
    blob: route('GET /blobs/:cid', {
      auth: 'open',
      summary: 'The bytes of a blob, or one range of them',
      params: { cid: 'blob-cid' },
      headers: {
        range: text('One range of bytes; anything else gets the whole.', 'bytes=0-99'),
        'if-none-match': text('The tag of a copy that is there.', '"1c8aff95"'),
      },
      reply: 'stream',
      statuses: [206, 304],
      replyHeaders: {
        etag: text('The content identifier.', '"1c8aff95"'),
        'cache-control': text('It never changes.', INERT['cache-control']),
        'content-disposition': text('It is saved, never shown.', INERT['content-disposition']),
        'content-security-policy': text('It runs nothing.', INERT['content-security-policy']),
        'accept-ranges': text('Ranges of bytes.', 'bytes'),
        'content-range': text('Of a range: which one it is.', 'bytes 0-99/1000'),
      },
      errors: ['not_found', 'range_not_satisfiable'],
      limit: READS,
    }),
  },
  setup({ store, blobs, clock, metrics }, { config, log }: Context<BlobsConfig>) {
    const { keepDays = DAYS, mostMiB = MOST_MIB } = config;
    const space = store.space(SPACE);
    const holding = new Holding({ space, blobs, keptFor: keptFor(keepDays), most: mostMiB * MIB });
    const uploads = metrics.counter('mesh_blob_uploads_total', 'Uploads of blobs.', ['result']);
    const reads = metrics.counter('mesh_blob_reads_total', 'Blobs that were asked for.', ['result']);
    const removed = metrics.counter(
      'mesh_blob_removals_total',
      'Blobs that were removed because nobody keeps them any more.',
    );
    let underWay = 0;
    const ofAgents = new KeyedCounter();
    const ofNetworks = new KeyedCounter();

    /** The place of one more upload; the returned function gives it back. */
    function place(agent: string, network: string): () => void {
      const full = (count: number, whose: string) =>
        new MeshError('rate_limited', { detail: `${count} uploads ${whose} are under way.`, retryAfter: 5 });
      if (ofAgents.of(agent) >= OF_AGENT) throw full(OF_AGENT, 'of this agent');
      if (ofNetworks.of(network) >= OF_NETWORK) throw full(OF_NETWORK, 'from this network');
      if (underWay >= AT_ONCE) throw full(AT_ONCE, 'in all');
      const ends = [ofAgents.take(agent), ofNetworks.take(network)];
      underWay += 1;
      return () => {
        underWay -= 1;
        for (const end of ends) end();
      };
    }
    let isTold = false;
    /** Its upload was cut off, or another aggregator of this store has it in a folder of its own. */
    function away(cid: string): MeshError {
      if (!isTold) log.warn({ cid }, AWAY);
      isTold = true;
      return new MeshError(
        'not_found',
        'This blob is kept, and its file is not here. Ask another aggregator of this deployment.',
      );
    }
    return {
      jobs: [
        {
          name: 'clear blobs',
          every: HOUR,
          first: 60_000,
          once: true,
          async run(signal) {
            const gone = await holding.clear(clock.now(), signal);
            if (gone > 0) removed({}, gone);
          },
        },
      ],
      routes: {
        async upload_blob({ body, principal: { id }, ip }) {
          await holding.requireKnown(id);
          const leave = place(id, networkOf(ip));
          let expires = 0;
          try {
            const blob = await blobs.put(body, LARGEST, async (found) => {
              expires = await holding.hold(id, found);
            });
            // Another process may have removed it in the moment before it was held again.
            if (!(await blobs.stat(blob.cid)))
              throw new MeshError('conflict', 'It was being removed. Upload it once more.');
            uploads({ result: 'kept' });
            return { ...blob, expires_at: isoTime(expires) };
          } catch (error) {
            uploads({ result: error instanceof MeshError ? error.code : 'failed' });
            if (error instanceof StorageError && error.fault === 'too_large') throw new MeshError('payload_too_large');
            throw error;
          } finally {
            leave();
          }
        },
        async blob({ params, headers }) {
          const cid = params.cid.toLowerCase();
          const isKept = await holding.has(cid);
          const found = isKept ? await blobs.get(cid) : undefined;
          reads({ result: found ? 'found' : isKept ? 'away' : 'missing' });
          if (isKept && !found) throw away(cid);
          if (!found) throw new MeshError('not_found', 'There is no such blob here.');
          const { size, content } = found;
          const set = { ...INERT, etag: `"${cid}"` };
          const nothing = { size: 0, content: [] as unknown as AsyncIterable<Uint8Array> };
          if (names(headers['if-none-match'], set.etag)) return answer(nothing, { status: 304, headers: set });
          const range = rangeOf(headers.range, size);
          if (range === 'none') throw new MeshError('range_not_satisfiable', { detail: `The blob has ${size} bytes.` });
          if (!range) return answer({ size, content }, { headers: set });
          const { from, to } = range;
          return answer(
            { size: to - from, content: partOf(content, range) },
            { status: 206, headers: { ...set, 'content-range': `bytes ${from}-${to - 1}/${size}` } },
          );
        },
      },
    };
  },
});

function names(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
}
