import { type TypedSchema, typed } from '../../core/plugin.ts';
import { MAX_URI_BYTES } from './registration.ts';

const ADDRESS = {
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  examples: ['9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu'],
};
const SIGNATURE = {
  description: 'Of the transaction, base58.',
  type: 'string',
  examples: ['5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'],
};
const BASE64 = '^[A-Za-z0-9+/]*={0,2}$';
const URI = {
  description: `Where the registration file of the agent is; at most ${MAX_URI_BYTES} bytes of UTF-8.`,
  type: 'string',
  maxLength: MAX_URI_BYTES,
  examples: ['https://example.org/agent.json'],
};
const EXPLORER = {
  description: 'A page about the transaction.',
  type: 'string',
  examples: ['https://explorer.solana.com/tx/5VERv8NM?cluster=devnet'],
};
const STATUS = {
  description:
    '`final`: the asset exists, for good. `confirmed`: it exists, and the ledger may, very rarely, take it back. `pending`: nobody knows yet; ask again with the same call.',
  enum: ['pending', 'confirmed', 'final'],
  examples: ['confirmed'],
};

export interface Info {
  readonly network: string | null;
  readonly available: boolean;
  readonly program_id: string;
  readonly collection: string | null;
  readonly mpl_core: string;
  readonly register_via_node: { readonly prepare: string; readonly submit: string; readonly local: string };
  readonly steps: readonly string[];
  readonly note: string;
}

export const info: TypedSchema<Info> = typed({
  $id: 'registry8004/info',
  type: 'object',
  required: ['network', 'available', 'program_id', 'collection', 'mpl_core', 'register_via_node', 'steps', 'note'],
  properties: {
    network: {
      description: 'The cluster this process is connected to.',
      type: ['string', 'null'],
      examples: ['devnet'],
    },
    available: { description: 'Whether registrations can be made here now.', type: 'boolean', examples: [true] },
    program_id: { ...ADDRESS, description: 'The registry of the test cluster.' },
    collection: {
      ...ADDRESS,
      type: ['string', 'null'],
      description: 'The collection of the registered assets, as the registry names it; null while that cannot be read.',
    },
    mpl_core: { ...ADDRESS, description: 'The program of the assets.' },
    register_via_node: {
      type: 'object',
      required: ['prepare', 'submit', 'local'],
      properties: { prepare: { type: 'string' }, submit: { type: 'string' }, local: { type: 'string' } },
      examples: [
        {
          prepare: 'POST /registry/8004/register-prepare',
          submit: 'POST /registry/8004/register-submit',
          local: 'POST /registry/8004/register-local',
        },
      ],
    },
    steps: { type: 'array', items: { type: 'string' }, examples: [['Ask for a transaction.']] },
    note: { type: 'string', examples: ['Registrations are made on the test cluster.'] },
  },
});

export interface PrepareRequest {
  readonly owner_pubkey: string;
  readonly agent_uri?: string;
}

export const prepareRequest: TypedSchema<PrepareRequest> = typed({
  $id: 'registry8004/prepare-request',
  type: 'object',
  required: ['owner_pubkey'],
  properties: {
    owner_pubkey: { ...ADDRESS, description: 'The key that will own the asset, base58; it pays the rent and the fee.' },
    agent_uri: URI,
  },
});

export interface Prepared {
  readonly transaction_b64: string;
  readonly asset_pubkey: string;
  readonly message_b64: string;
  readonly signing_hint: string;
  readonly last_valid_block_height: number;
  readonly expires_at: string;
}

export const prepared: TypedSchema<Prepared> = typed({
  $id: 'registry8004/prepare-reply',
  type: 'object',
  required: [
    ...['transaction_b64', 'asset_pubkey', 'message_b64', 'signing_hint', 'last_valid_block_height', 'expires_at'],
  ],
  properties: {
    transaction_b64: {
      description: "The registration, signed by the new asset; the owner's place is 64 zeros.",
      type: 'string',
      examples: ['AgAAAA=='],
    },
    asset_pubkey: { ...ADDRESS, description: "The asset, and so the agent's id in the registry." },
    message_b64: { description: 'The bytes that the owner signs.', type: 'string', examples: ['AgAFCQ=='] },
    signing_hint: {
      type: 'string',
      examples: ['Sign the bytes of message_b64 with the key of owner_pubkey (Ed25519).'],
    },
    last_valid_block_height: { type: 'integer', examples: [250_000_150] },
    expires_at: {
      description: 'About when the ledger takes it no more.',
      type: 'string',
      format: 'date-time',
      examples: ['2026-01-01T00:01:00.000Z'],
    },
  },
});

export interface SubmitRequest {
  readonly transaction_b64: string;
  readonly owner_signature_b64: string;
}

export const submitRequest: TypedSchema<SubmitRequest> = typed({
  $id: 'registry8004/submit-request',
  type: 'object',
  required: ['transaction_b64', 'owner_signature_b64'],
  properties: {
    transaction_b64: {
      description: 'In base64, as register-prepare gave it; the owner may have signed in its place already.',
      type: 'string',
      pattern: BASE64,
      minLength: 4,
      maxLength: 1_644,
      examples: ['AgAAAA=='],
    },
    owner_signature_b64: {
      description: "The owner's signature: 64 bytes in base64.",
      type: 'string',
      pattern: BASE64,
      minLength: 88,
      maxLength: 88,
      examples: [`${'A'.repeat(86)}==`],
    },
  },
});

export interface LocalRequest {
  readonly agent_uri?: string;
}

export const localRequest: TypedSchema<LocalRequest> = typed({
  $id: 'registry8004/local-request',
  type: 'object',
  properties: { agent_uri: URI },
});

export interface Registered {
  readonly signature: string;
  readonly asset_pubkey: string;
  readonly explorer: string;
  readonly status: 'pending' | 'confirmed' | 'final';
}

export const registered: TypedSchema<Registered> = typed({
  $id: 'registry8004/registered',
  type: 'object',
  required: ['signature', 'asset_pubkey', 'explorer', 'status'],
  properties: { signature: SIGNATURE, asset_pubkey: ADDRESS, explorer: EXPLORER, status: STATUS },
});

const kept = (name: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  $id: `registry8004/${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((one) => !optional.includes(one)),
  properties,
});
const text = { type: 'string', maxLength: 2_000 };
const natural = { type: 'integer', minimum: 0 };

/** The plugin's collections. */
export const KEPT: readonly object[] = [
  kept('known', { asset: ADDRESS, at: natural }),
  kept('asset', { key: ADDRESS, at: natural }),
  kept(
    'prepared',
    {
      ...{ asset: ADDRESS, owner: ADDRESS, asset_signature: text, at: natural },
      ...{ blockhash: ADDRESS, last_valid_block_height: natural, made_after: natural, owner_signature: text },
    },
    ['owner_signature'],
  ),
  kept('local', { asset: ADDRESS, uri: { type: 'string', maxLength: MAX_URI_BYTES }, key: text }),
];
