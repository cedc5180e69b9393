import { invalidField, normaliseAgentId, route } from '../../core/plugin.ts';
import type { LocalRegistration } from './local.ts';
import { ASSETS, TEST } from './places.ts';
import { MAX_URI_BYTES } from './registration.ts';
import type { Registrations } from './registrations.ts';
import * as shapes from './shapes.ts';
import type { Site } from './site.ts';

const REFUSED = ['registry_not_test', 'ledger_unavailable', 'transaction_refused'] as const;
const ENDED = ['registration_expired', 'registration_failed'] as const;
const PATHS = {
  prepare: 'POST /registry/8004/register-prepare',
  submit: 'POST /registry/8004/register-submit',
  local: 'POST /registry/8004/register-local',
} as const;
const STEPS = [
  `Ask for a registration: ${PATHS.prepare} with owner_pubkey and, if there is one, agent_uri.`,
  'Have the owner, who pays the rent (about 0.01 SOL) and the fee, sign the bytes of message_b64 within a minute.',
  `Submit transaction_b64 with the signature: ${PATHS.submit}.`,
  'asset_pubkey is the agent id in the registry; the owner, or the wallet that it sets there, is the key that signs.',
  `A node registers its own key with ${PATHS.local}.`,
];
const NOTE = 'Registrations are made on the test cluster, whatever the mesh pays with.';

/** Both profiles say what the registry is, and register their own key. */
export const own = {
  registry_8004_info: route('GET /registry/8004/info', {
    auth: 'open',
    limit: { per: 'ip', rate: 600, window: 60 },
    summary: 'The registry of agents, and how to register there',
    reply: shapes.info,
  }),
  registry_8004_local: route(PATHS.local, {
    auth: 'api',
    limit: { per: 'principal', rate: 20, window: 60 },
    money: true,
    idempotency: true,
    summary: 'Registers the key of this process, which pays for it',
    body: shapes.localRequest,
    reply: shapes.registered,
    errors: [...REFUSED, ...ENDED, 'conflict', 'spending_cap', 'insufficient_funds'],
  }),
} as const;

/** An aggregator helps others to register. */
export const forOthers = {
  registry_8004_prepare: route(PATHS.prepare, {
    auth: 'open',
    limit: { per: 'ip', rate: 10, window: 60, strict: true },
    money: true,
    summary: 'A registration that lacks its owner’s signature alone',
    body: shapes.prepareRequest,
    reply: shapes.prepared,
    errors: REFUSED,
  }),
  registry_8004_submit: route(PATHS.submit, {
    auth: 'open',
    limit: { per: 'ip', rate: 20, window: 60 },
    money: true,
    summary: 'Puts the owner’s signature into a registration prepared here, and sends it, once',
    body: shapes.submitRequest,
    reply: shapes.registered,
    errors: [...REFUSED, ...ENDED, 'registration_unknown', 'conflict'],
  }),
} as const;

export async function infoOf(site: Site): Promise<shapes.Info> {
  const collection = await site.found?.registry.collection().catch(() => undefined);
  return {
    network: site.cluster ?? null,
    available: site.found?.place.isTest === true && collection !== undefined,
    program_id: TEST.program,
    collection: (site.found?.place.isTest ? collection : undefined) ?? null,
    mpl_core: ASSETS,
    register_via_node: PATHS,
    steps: STEPS,
    note: NOTE,
  };
}

export function bindOwn(site: Site, local: LocalRegistration) {
  return {
    registry_8004_info: () => infoOf(site),
    registry_8004_local: ({ body }: { readonly body: shapes.LocalRequest }) => local.register(uriOf(body.agent_uri)),
  };
}

export function bindForOthers(registrations: Registrations) {
  return {
    registry_8004_prepare({ body }: { readonly body: shapes.PrepareRequest }) {
      const owner = normaliseAgentId(body.owner_pubkey);
      if (owner === undefined) throw invalidField('/owner_pubkey', 'must be a key of 32 bytes in base58');
      return registrations.prepare(owner, uriOf(body.agent_uri));
    },
    registry_8004_submit: ({ body }: { readonly body: shapes.SubmitRequest }) => registrations.submit(body),
  };
}

function uriOf(text = ''): string {
  if (Buffer.byteLength(text) > MAX_URI_BYTES) throw invalidField('/agent_uri', `has more than ${MAX_URI_BYTES} bytes`);
  if (/\p{Cc}|\p{Cs}/u.test(text)) throw invalidField('/agent_uri', 'has control characters');
  return text;
}
