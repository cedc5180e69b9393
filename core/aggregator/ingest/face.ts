import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { EnvelopeHandlers, ExtensionPoints, Store } from '../../internal-services.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import { ONLY_PROCESS } from '../../platform/writership.ts';
import { type Context, defineFace, optional, route, typed } from '../../plugin.ts';
import { Clock, Metrics } from '../../services.ts';
import { StorageError } from '../../storage/adapter.ts';
import { storeJob } from '../../storage/store-job.ts';
import { epochsOf } from '../epochs.ts';
import { Evidence } from '../evidence/journal.ts';
import { Handing, Ingest, Network, SPACE, Verifier } from '../providers.ts';
import { forgetNonces } from '../store/nonces.ts';
import { itemsOfCbor } from './cbor-body.ts';
import { FormerMove } from './former-move.ts';
import { moveFormerNonces } from './former-nonces.ts';
import { createHandedWriting } from './handed-writing.ts';
import { Handling } from './handling.ts';
import { createIngest, DEFAULT_LIMITS, type IngestLimits, type IngestParts } from './ingest.ts';
import type { IngestItem } from './item.ts';
import { lookAtLapsed } from './lapsed-deals.ts';
import { newKeysOf } from './new-keys.ts';
import { createWriting } from './writing.ts';

/** The `ingest` object under `core` of plugins.json. */
export const ingestConfig = typed<IngestLimits>({
  type: 'object',
  additionalProperties: false,
  properties: {
    newKeysPerHour: { type: 'integer', minimum: 1, default: DEFAULT_LIMITS.newKeysPerHour },
    newKeysPerHourInAll: { type: 'integer', minimum: 1, default: DEFAULT_LIMITS.newKeysPerHourInAll },
    itemsPerKeyPerMinute: { type: 'integer', minimum: 1, default: DEFAULT_LIMITS.itemsPerKeyPerMinute },
  },
});

const STRAY =
  'an aggregator of an earlier release, which had stood still while this one started, has written to the store: stop it';
/** Less than a setup may take. */
const MOVE_MS = 5_000;
const MAX_BODY = 4 * 1024 * 1024;

/** Where reports come in. Offers `Ingest`, the same function, to whatever else hears envelopes. */
export const ingestFace = defineFace({
  uses: {
    store: Store,
    network: Network,
    verifier: Verifier,
    clock: Clock,
    metrics: Metrics,
    handlers: EnvelopeHandlers,
    plugins: ExtensionPoints,
    evidence: Evidence,
    handing: optional(Handing),
  },
  provides: { ingest: Ingest },
  routes: {
    ingest_envelopes: route('POST /ingest/envelopes', {
      auth: 'open',
      summary: 'Reports envelopes and receipts; each is verified and answered by itself',
      body: 'ingest-request',
      reply: 'ingest-reply',
      alsoTakes: { 'application/cbor': 'An array of 1 to 256 byte strings, each the CBOR of one envelope or receipt.' },
      maxBody: MAX_BODY,
      limit: { per: 'ip', rate: 1200, window: 60 },
      errors: ['storage_unavailable'],
    }),
  },
  async setup(
    { store, network, verifier, clock, metrics, handlers, plugins, evidence, handing },
    { config, log, signal, defer }: Context<IngestLimits>,
  ) {
    const writership = handing?.writership ?? ONLY_PROCESS;
    const handling = await Handling.open({ space: store.space(SPACE), handlers, log, signal, writership });
    defer(() => handling.close());
    const parts: IngestParts = {
      space: store.space(SPACE),
      network,
      epochs: epochsOf(network),
      handling,
      plugins,
      evidence,
      give: handing?.give,
      verifier,
      clock,
      log,
      limits: config,
      newKeys: newKeysOf({ limits: config, clock }),
      counted: metrics.counter('mesh_ingested_total', 'Reported envelopes and receipts.', ['status']),
      putOff: metrics.counter('mesh_ingest_put_off_total', 'Reports put off, by the bound that was met.', ['bound']),
      recorded: metrics.counter('mesh_recorded_total', 'Envelopes and receipts that were new, by type.', ['msg_type']),
      refusedSuccessions: metrics.counter('mesh_successions_refused_total', 'Successions that were refused.', [
        'reason',
      ]),
      dropped: metrics.counter('mesh_feedback_dropped_total', 'Feedback that had no effect.', ['reason']),
    };
    const move = FormerMove.begin({ space: parts.space, epochs: parts.epochs, clock, log, signal });
    defer(() => move.done);
    // Nearly always there is nothing to move, and then it is over before the first call.
    await Promise.race([move.done, clock.sleep(MOVE_MS, signal)]);
    const write = createWriting(parts);
    const ingest = move.gate(createIngest(parts, write));
    if (handing) handing.write = move.gate(createHandedWriting(parts, write));
    const { space, dropped } = parts;
    return {
      provides: { ingest },
      async ready() {
        await handing?.start?.([...new Set([...plugins.plugins, ...handlers.plugins])]);
        await handling.start();
      },
      jobs: [
        storeJob(space, clock, {
          name: 'lapsed-deals',
          every: 30_000,
          first: 1000,
          once: true,
          run: (signal) => lookAtLapsed({ space, epochs: parts.epochs, dropped, evidence }, clock.now(), signal),
        }),
        storeJob(space, clock, {
          name: 'forget-nonces',
          every: 60_000,
          first: 2000,
          once: true,
          async run(signal) {
            const epoch = parts.epochs.at(clock.now());
            await forgetNonces(space, epoch, signal);
            return (epoch + 1) * parts.epochs.ms;
          },
        }),
        storeJob(space, clock, {
          name: 'stray-nonces',
          every: 60_000,
          first: 3000,
          once: true,
          async run(signal) {
            if (!move.isOver) return 0;
            const nonces = await moveFormerNonces(space, parts.epochs, signal);
            if (nonces > 0) log.error({ nonces }, STRAY);
            return Number.POSITIVE_INFINITY;
          },
        }),
      ],
      routes: {
        ingest_envelopes: async ({ body, ip }) => {
          try {
            const items = 'bytes' in body ? itemsOfCbor(body.bytes) : body.items.map(itemOf);
            return { results: await ingest(items, { ip }) };
          } catch (error) {
            if (error instanceof StorageError)
              throw new MeshError('storage_unavailable', { retryAfter: 1, cause: error });
            throw error;
          }
        },
      },
    };
  },
});

/**
 * Text that is not base64, or an item that is not exactly one of the two, becomes no bytes, which the decoder
 * refuses.
 */
function itemOf({ envelope_b64, receipt_b64 }: SchemaTypes['ingest-item']): IngestItem {
  const kind = envelope_b64 === undefined ? 'receipt' : 'envelope';
  const text = envelope_b64 !== undefined && receipt_b64 !== undefined ? '' : (envelope_b64 ?? receipt_b64 ?? '');
  return { kind, bytes: fromBase64(text) ?? new Uint8Array(0) };
}
