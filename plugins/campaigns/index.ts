import { createHash, timingSafeEqual } from 'node:crypto';
import {
  appendLog,
  collection,
  definePlugin,
  invalidField,
  MeshError,
  route,
  stream,
  typed,
} from '../../core/plugin.ts';
import { Clock, Random } from '../../core/services.ts';
import * as shapes from './shapes.ts';

const READS = { per: 'ip', rate: 6_000, window: 60 } as const;
const MAX_PARAMS_BYTES = 4_096;
const MAX_PARAMS_DEPTH = 10;
/** Campaigns that may be open at a time. */
const MOST_OPEN = 10_000;
/** How long one can be read after its end. */
const KEPT_MS = 365 * 24 * 3_600_000;

const campaigns = collection<shapes.StoredCampaign, 'recent'>('campaigns', {
  schema: 'campaigns/stored',
  indexes: { recent: ({ created_at }) => [-created_at] },
});
/** Those that have not ended: an entry goes by itself when its campaign ends. */
const open = collection<{ readonly created: number }, 'recent'>('open', {
  schema: 'campaigns/open',
  indexes: { recent: ({ created }) => [-created] },
});
/** The events of the stream, in order. */
const created = appendLog<shapes.StoredCampaign>('created', { schema: 'campaigns/stored' });

/** Campaigns that an operator announces to everybody: which data is wanted, and what it pays. */
export const campaignsPlugin = definePlugin({
  name: 'campaigns',
  api: '2.0',
  summary: 'Calls for data, made by the operator.',
  config: shapes.config,
  flags: {
    operatorSecret: {
      flag: '--operator-secret',
      type: 'text',
      secret: true,
      summary: 'the secret with which campaigns are made',
    },
  },
  schemas: [shapes.stored, shapes.open, shapes.campaign.schema, shapes.list.schema, shapes.frame.schema],
  aggregator: {
    uses: { clock: Clock, random: Random },
    guards: {
      'operator-secret': {
        summary: "The operator's secret, which is operatorSecret of the plugin campaigns",
        scheme: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret in `operatorSecret` of the plugin campaigns.',
        },
      },
    },
    routes: {
      list_campaigns: route('GET /campaigns', {
        auth: 'open',
        limit: READS,
        feature: 'campaigns',
        summary: 'Campaigns, newest first; those that have ended only when asked for',
        query: shapes.listQuery,
        reply: shapes.list,
      }),
      create_campaign: route('POST /campaigns', {
        auth: 'operator-secret',
        limit: { per: 'principal', rate: 20, window: 60 },
        feature: 'campaigns',
        summary: 'Announces a campaign',
        body: shapes.newCampaign,
        reply: shapes.campaign,
        status: 201,
        idempotency: true,
        errors: ['rate_limited'],
      }),
      campaign: route('GET /campaigns/:id', {
        auth: 'open',
        limit: READS,
        feature: 'campaigns',
        summary: 'One campaign, up to a year after its end',
        params: {
          id: typed<string>({
            description: 'A UUID.',
            type: 'string',
            pattern: '^[0-9A-Fa-f-]{36}$',
            examples: ['7c0a1f6e-3f0e-4a57-9f0d-2f1f4f6f9a10'],
          }),
        },
        reply: shapes.campaign,
      }),
      watch_campaigns: stream('/ws/campaigns', {
        auth: 'open',
        limit: { per: 'ip', rate: 600, window: 60 },
        feature: 'campaigns',
        summary: 'Campaigns as they are announced; with since, everything behind that event first',
        query: shapes.streamQuery,
        frame: shapes.frame,
      }),
    },
    setup({ clock, random }, { config, space }) {
      const isSecret = (text: string) =>
        config.operatorSecret !== undefined && timingSafeEqual(digest(text), digest(config.operatorSecret));
      const shown = (one: shapes.StoredCampaign): shapes.Campaign => ({
        ...one,
        active: one.expires_at * 1_000 > clock.now(),
      });
      return {
        guards: {
          'operator-secret': ({ token }) =>
            token !== undefined && isSecret(token) ? { kind: 'operator', id: 'secret' } : null,
        },
        routes: {
          async list_campaigns({ query: { include_expired: all, limit = 50, offset = 0 } }) {
            const part = { index: 'recent', limit, ...(offset > 0 && { offset }) } as const;
            if (all) return (await space.page(campaigns, part)).map(({ value }) => shown(value));
            const ids = await space.page(open, part);
            const found = await space.getMany(ids.map(({ id }) => campaigns.ref(id)));
            // The store counts lives by its own clock.
            return found.flatMap((one) => (one ? [shown(one)] : [])).filter(({ active }) => active);
          },
          async create_campaign({ body, operationId }) {
            const before = operationId && (await space.committed<shapes.StoredCampaign>(operationId));
            // One whose answer was lost may have ended meanwhile, or be the last that there was room for.
            if (before) return shown(before.value);
            const now = clock.now();
            if (body.expires_at * 1_000 <= now) throw invalidField('/expires_at', 'must be in the future');
            const stored = {
              id: uuid(random.bytes(16)),
              data_type: body.data_type,
              title: body.title,
              description: body.description,
              collection_params: paramsText(body.collection_params),
              payout_usdc_micro: body.payout_usdc_micro,
              max_samples_per_node: body.max_samples_per_node,
              max_total_samples: body.max_total_samples,
              expires_at: body.expires_at,
              privacy_level: body.privacy_level,
              data_retention_days: body.data_retention_days,
              purpose: body.purpose,
              created_at: Math.floor(now / 1_000),
            };
            if ((await space.count(open)) >= MOST_OPEN)
              throw new MeshError('rate_limited', { detail: `${MOST_OPEN} campaigns are open.`, retryAfter: 3_600 });
            const ttl = body.expires_at * 1_000 - now;
            const { value } = await space.tx(
              [],
              (tx) => {
                tx.put(campaigns.ref(stored.id), stored, { ttl: ttl + KEPT_MS });
                tx.put(open.ref(stored.id), { created: stored.created_at }, { ttl });
                tx.append(created, stored);
                return stored;
              },
              { opId: operationId },
            );
            return shown(value);
          },
          async campaign({ params: { id } }) {
            const found = await space.get(campaigns.ref(id.toLowerCase()));
            if (!found) throw new MeshError('not_found', `There is no campaign ${id}.`);
            return shown(found);
          },
          async *watch_campaigns({ query: { since }, signal }) {
            const from = since ?? (await space.page(created, { limit: 1 }))[0]?.id ?? 0;
            for await (const { id, record } of space.tail(created, from, signal))
              yield { event: 'created', id, campaign: shown(record) };
          },
        },
      };
    },
  },
});

function paramsText(params: unknown): string {
  if (params === undefined) return '';
  if (depthOf(params) > MAX_PARAMS_DEPTH)
    throw invalidField('/collection_params', `has more than ${MAX_PARAMS_DEPTH} levels`);
  const text = typeof params === 'string' ? params : JSON.stringify(params);
  if (Buffer.byteLength(text) > MAX_PARAMS_BYTES)
    throw invalidField('/collection_params', `has more than ${MAX_PARAMS_BYTES} bytes`);
  return text;
}

/** Bodies are small, and this ends at the limit. */
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_PARAMS_DEPTH) return depth;
  return Math.max(depth + 1, ...Object.values(value).map((inner) => depthOf(inner, depth + 1)));
}

/** Version 4. */
function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes);
  hex[6] = (hex[6]! & 0x0f) | 0x40;
  hex[8] = (hex[8]! & 0x3f) | 0x80;
  return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Secrets of any length are compared in the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
