import { type MessageName, messageType } from '../../core/protocol/envelopes/message-types.ts';
import type { Payloads } from '../../core/protocol/envelopes/payloads/payloads.ts';
import type { EnvelopeVersion } from '../../core/protocol/identity/network.ts';

const conversation_id = '000102030405060708090a0b0c0d0e0f';
const agent = '3JF3sEqM796hk5WFqA6EtmEwJQ9quALszsfJyvXNQKy3';
const other = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
/** Also what the messages of the vectors answer: the ACCEPT names it in its body too. */
export const hash = '02d2b583b37581227f9c570231539ddfedb25ef4a3e5e5b740c9917c918d251d';

type Samples = { readonly [N in MessageName]: readonly Payloads[N][] };

/** Values of every payload: the smallest, one with every member, and the ends of ranges. */
const common: Omit<Samples, 'BEACON' | 'VERDICT' | 'ACCEPT' | 'MESSAGE'> = {
  ADVERTISE: [
    {},
    {
      capabilities: ['translate', 'summarise'],
      description: 'Korean to English',
      agent_type: 'translator',
      geo: { country: 'KR', city: 'Seoul' },
      token_address: agent,
      min_token_hold: 5,
      downpayment_bps: 5000,
      price_range_usd: [0.5, 20],
      capability_proofs: [{ capability: 'translate', proof_type: 'benchmark', benchmark_id: 'b', input_hash: hash }],
    },
  ],
  DISCOVER: [{ query: 'translate' }],
  PROPOSE: [
    { amount_usdc_micro: 2_000_000n, max_rounds: 2, message: 'hi' },
    { amount_usdc_micro: 0n, message: '' },
    {
      amount_usdc_micro: 2n ** 63n - 1n,
      max_rounds: 255,
      message: 'naïve 한국어 🙂\n',
      token_mint: agent,
      payment_tx: 'tx',
      payment_usd_micro: 1n,
      total_price_usd_micro: 2n ** 63n - 1n,
      expires_at: '2026-01-01T12:00:00.000Z',
      deadline_secs: 7_776_000,
      review_secs: 1_209_600,
      escrow: true,
      notary: other,
      dispute_bps: 10_000,
    },
  ],
  COUNTER: [
    { amount_usdc_micro: 1_500_000n, round: 1 },
    { amount_usdc_micro: 1_500_000n, round: 2, max_rounds: 2, message: 'last', deadline_secs: 1, escrow: false },
  ],
  REJECT: [{ reason: 'too expensive' }, { reason: '' }],
  DELIVER: [
    { conversation_id, inline_b64: 'b2s=' },
    {
      conversation_id,
      content_type: 'text/plain',
      inline_b64: '',
      payload_uri: `agg://${hash}`,
      payload_size: 2 ** 40,
    },
  ],
  NOTARIZE_BID: [
    { bid_type: 0, conversation_id, opaque_b64: '' },
    { bid_type: 1, conversation_id, opaque_b64: 'AP8=' },
  ],
  NOTARIZE_ASSIGN: [{ verifier: agent, opaque_b64: 'AAE=' }],
  FEEDBACK: [
    { conversation_id, target_agent: agent, score: -42, outcome: 0, is_dispute: false, role: 0 },
    { conversation_id, target_agent: agent, score: 100, outcome: 2, is_dispute: true, role: 1 },
    { conversation_id, target_agent: agent, score: -100, outcome: 1, is_dispute: false, role: 0 },
  ],
  DISPUTE: [{ reason: 'page 12 is missing' }],
  BROADCAST: [
    { topic: 'news', title: '', tags: [], format: 'text' },
    {
      topic: 'radio',
      title: 'Live',
      tags: ['a', 'b'],
      format: 'audio',
      content_b64: 'AP8=',
      content_type: 'audio/ogg',
      chunk_index: 0,
      total_chunks: 2 ** 32 - 1,
      duration_ms: 1000,
      price_per_epoch_micro: 2n ** 63n - 1n,
      epoch: 20_500,
    },
  ],
  BOUNTY: [
    { required_capability: 'x', max_budget_usd: 12.5, deadline_secs: 3600, task_summary: 'do x', conversation_id },
  ],
};

const byVersion: Record<EnvelopeVersion, Pick<Samples, 'BEACON' | 'VERDICT' | 'ACCEPT' | 'MESSAGE'>> = {
  1: {
    BEACON: [{ name: 'translator', hubs: [] }],
    VERDICT: [{ outcome: 'approve', requester: agent, provider: other }, { outcome: 'reject' }],
    ACCEPT: [{ amount_usdc_micro: 2_000_000n, message: 'deal', downpayment_usd_micro: 5n, remaining_usd_micro: 6n }],
    MESSAGE: [],
  },
  2: {
    BEACON: [
      { name: '', hubs: [] },
      {
        name: 'translator',
        url: 'wss://translator.example/mesh',
        hubs: [agent, other],
        asset: other,
        hosted: [
          { agent_id: agent, recovery_key: other, not_after: 1_767_225_600, signature_b64: `${'A'.repeat(86)}==` },
        ],
      },
    ],
    VERDICT: [{ outcome: 'approve' }, { outcome: 'reject', reason_hash: hash }],
    ACCEPT: [{ amount_usdc_micro: 2_000_000n, offer_id: hash, message: 'deal' }],
    MESSAGE: [{ text: 'h' }, { text: 'naïve 한국어 🙂\n' }],
  },
};

/** One sample after the other, in the order of the message codes. */
export function samplePayloads(version: EnvelopeVersion): { msgType: MessageName; value: object }[] {
  const samples: Samples = { ...common, ...byVersion[version] };
  return Object.entries(samples)
    .flatMap(([msgType, values]) => values.map((value) => ({ msgType: msgType as MessageName, value })))
    .sort((left, right) => messageType(left.msgType).code - messageType(right.msgType).code);
}
