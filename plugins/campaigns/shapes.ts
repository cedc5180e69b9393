import { type TypedSchema, typed } from '../../core/plugin.ts';

export interface CampaignsConfig {
  readonly operatorSecret?: string;
}

export const config: TypedSchema<CampaignsConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    operatorSecret: {
      description: 'The Bearer value with which campaigns are made. Without one nobody makes any.',
      type: 'string',
      minLength: 16,
    },
  },
});

const DATA_TYPE = { enum: ['imu', 'gps', 'audio', 'camera'], examples: ['audio'] };
const PRIVACY = { enum: ['anonymized', 'pseudonymized', 'raw'], examples: ['anonymized'] };
const text = (description: string, maxLength: number, example: string) => ({
  ...{ description, type: 'string', maxLength },
  examples: [example],
});
const count = (description: string, minimum: number, example: number) => ({
  ...{ description, type: 'integer', minimum, maximum: 1_000_000_000 },
  examples: [example],
});
const SECONDS = { type: 'integer', minimum: 1, maximum: 9_999_999_999 };

export interface NewCampaign {
  readonly data_type: string;
  readonly title: string;
  readonly description: string;
  readonly collection_params?: unknown;
  readonly payout_usdc_micro: number;
  readonly max_samples_per_node: number;
  readonly max_total_samples: number;
  readonly expires_at: number;
  readonly privacy_level: string;
  readonly data_retention_days: number;
  readonly purpose: string;
}

const TITLE = text('Shown in lists.', 128, 'Street sounds of Lisbon');
const DESCRIPTION = text('What is wanted, for people.', 1_024, 'Ten seconds of street noise, by day.');
const PURPOSE = text('What the data is for.', 512, 'Training of noise suppression');
const PAYOUT = { ...count('Minor units of USDC for one sample.', 1, 50_000), maximum: Number.MAX_SAFE_INTEGER };
const PER_NODE = count('Samples that one node may be paid for.', 1, 10);
const TOTAL = count('Samples in all; 0 is no limit.', 0, 10_000);
const RETENTION = { ...count('Days for which the data is kept.', 1, 30), maximum: 36_500 };
const EXPIRES = { ...SECONDS, description: 'When it ends, Unix seconds.', examples: [1_893_456_000] };

export const newCampaign: TypedSchema<NewCampaign> = typed({
  type: 'object',
  required: ['data_type', 'payout_usdc_micro', 'expires_at'],
  properties: {
    data_type: DATA_TYPE,
    title: { ...TITLE, default: '' },
    description: { ...DESCRIPTION, default: '' },
    collection_params: {
      description: 'How samples are to be made: any JSON of at most 4,096 bytes and 10 levels.',
      examples: [{ seconds: 10 }],
    },
    payout_usdc_micro: PAYOUT,
    max_samples_per_node: { ...PER_NODE, default: 10 },
    max_total_samples: { ...TOTAL, default: 0 },
    expires_at: EXPIRES,
    privacy_level: { ...PRIVACY, default: 'anonymized' },
    data_retention_days: { ...RETENTION, default: 30 },
    purpose: { ...PURPOSE, default: '' },
  },
});

/** As it is kept; the answer says beside it whether it is over. */
export interface StoredCampaign extends Omit<NewCampaign, 'collection_params'> {
  readonly id: string;
  readonly collection_params: string;
  readonly created_at: number;
}
export interface Campaign extends StoredCampaign {
  readonly active: boolean;
}

const STORED = {
  id: { description: 'A UUID.', type: 'string', examples: ['7c0a1f6e-3f0e-4a57-9f0d-2f1f4f6f9a10'] },
  data_type: DATA_TYPE,
  title: TITLE,
  description: DESCRIPTION,
  collection_params: {
    description: 'JSON text; empty when none were given.',
    type: 'string',
    examples: ['{"seconds":10}'],
  },
  payout_usdc_micro: PAYOUT,
  max_samples_per_node: PER_NODE,
  max_total_samples: TOTAL,
  expires_at: EXPIRES,
  privacy_level: PRIVACY,
  data_retention_days: RETENTION,
  purpose: PURPOSE,
  created_at: { ...SECONDS, description: 'Unix seconds.', examples: [1_767_268_800] },
};
const closed = { type: 'object', additionalProperties: false } as const;

export const stored = { $id: 'campaigns/stored', ...closed, required: Object.keys(STORED), properties: STORED };
export const open = {
  $id: 'campaigns/open',
  ...closed,
  required: ['created'],
  properties: { created: { type: 'integer' } },
};
export const campaign: TypedSchema<Campaign> = typed({
  $id: 'campaigns/campaign',
  type: 'object',
  required: [...Object.keys(STORED), 'active'],
  properties: {
    ...STORED,
    active: { description: 'Whether it has not ended yet.', type: 'boolean', examples: [true] },
  },
});
export const list: TypedSchema<readonly Campaign[]> = typed({
  $id: 'campaigns/list',
  description: 'Newest first.',
  type: 'array',
  items: { $ref: 'campaigns/campaign' },
});

export interface CampaignEvent {
  readonly event: 'created';
  readonly id: number;
  readonly campaign: Campaign;
}
export const frame: TypedSchema<CampaignEvent> = typed({
  $id: 'campaigns/event',
  ...closed,
  required: ['event', 'id', 'campaign'],
  properties: {
    event: { const: 'created', examples: ['created'] },
    id: {
      description: 'The cursor of this event: give it as `since` to go on behind it.',
      type: 'integer',
      examples: [12],
    },
    campaign: { $ref: 'campaigns/campaign' },
  },
});

export const listQuery: TypedSchema<{ include_expired?: boolean; limit?: number; offset?: number }> = typed({
  type: 'object',
  properties: {
    include_expired: { description: 'Also those that have ended.', type: 'boolean', default: false, examples: [true] },
    limit: { type: 'integer', minimum: 1, 'x-most': 200, default: 50, examples: [50] },
    offset: { type: 'integer', minimum: 0, maximum: 100_000, default: 0, examples: [0] },
  },
});
export const streamQuery: TypedSchema<{ since?: number }> = typed({
  type: 'object',
  properties: {
    since: {
      description:
        'The `id` of the last event you have; everything behind it comes first. Without it, only what is new.',
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [12],
    },
  },
});
