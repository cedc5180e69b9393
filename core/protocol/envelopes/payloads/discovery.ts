import type { PayloadCodec } from './codec.ts';
import { agentId, choice, conversationId, decimal, hash, hexDigits, integer, text } from './fields.ts';
import { jsonPayload } from './json.ts';
import type { AdvertisePayload, BountyPayload, DiscoverPayload } from './payloads.ts';
import { list, optional, optionalOrEmpty, record, type Shape, where } from './shape.ts';

const MAX_CAPABILITIES = 32;
const MAX_DOWNPAYMENT_BPS = 5000;
const DAY = 86_400;

const capability = text(64, 1);
const usd = decimal(0, 1e12);

const capabilityProof = record({
  capability,
  proof_type: choice('benchmark', 'live', 'human-delegated'),
  benchmark_id: optional(text(128)),
  input_hash: optionalOrEmpty(hash),
  output_hash: optionalOrEmpty(hash),
  signature: optionalOrEmpty(hexDigits(64)),
  timestamp: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  attestation_url: optional(text(2048)),
});

const advertise: Shape<AdvertisePayload> = record({
  capabilities: optional(list(capability, MAX_CAPABILITIES)),
  description: optional(text(4096)),
  agent_type: optional(text(64)),
  geo: optional(record({ country: optional(text(64)), city: optional(text(64)) })),
  token_address: optional(agentId),
  min_token_hold: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  downpayment_bps: optional(integer(0, MAX_DOWNPAYMENT_BPS)),
  price_range_usd: optional(where(list(usd, 2), 'be two numbers', (range) => range.length === 2)),
  capability_proofs: optional(list(capabilityProof, 16)),
});

/**
 * Reads an ADVERTISE as tolerantly as the public network does: it cuts excess, and drops a token address that is not
 * one.
 */
export const advertisePayload: PayloadCodec<AdvertisePayload> = jsonPayload(advertise, (found) => {
  if (typeof found !== 'object' || found === null) return found;
  const { capabilities, downpayment_bps, token_address } = found as Record<string, unknown>;
  return {
    ...found,
    capabilities: Array.isArray(capabilities) ? capabilities.slice(0, MAX_CAPABILITIES) : capabilities,
    downpayment_bps: typeof downpayment_bps === 'number' ? Math.min(downpayment_bps, MAX_DOWNPAYMENT_BPS) : undefined,
    token_address: agentId.read(token_address, '', []),
  };
});

const discover: Shape<DiscoverPayload> = record({ query: text(256, 1) });

export const discoverPayload: PayloadCodec<DiscoverPayload> = jsonPayload(discover);

const bounty: Shape<BountyPayload> = record({
  required_capability: capability,
  max_budget_usd: where(usd, 'be more than nothing', (budget) => budget > 0),
  deadline_secs: integer(1, 90 * DAY),
  task_summary: text(4096),
  conversation_id: conversationId,
});

export const bountyPayload: PayloadCodec<BountyPayload> = jsonPayload(bounty);
