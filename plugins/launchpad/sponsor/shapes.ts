import { MINT, SOME_MINT, shape } from '../tokens.ts';

export interface SponsorRequest {
  readonly base_mint: string;
  readonly agent_pubkey: string;
  readonly partner?: string;
  readonly partner_config?: string;
}
export const sponsorRequest = shape<SponsorRequest>(
  'sponsor/fee-share-request',
  {
    base_mint: { ...MINT, examples: [SOME_MINT] },
    agent_pubkey: {
      ...MINT,
      description: 'The agent that gets all fees of the token, base58: the one that asks.',
      examples: ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
    },
    partner: {
      ...MINT,
      description: 'A wallet that earns a part of what the launchpad keeps, base58; with partner_config.',
      examples: ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
    },
    partner_config: {
      ...MINT,
      description: 'Its partner config at the launchpad, base58.',
      examples: [SOME_MINT],
    },
  },
  ['partner', 'partner_config'],
);

export const sponsorReply = shape<{ readonly config_key: string }>('sponsor/fee-share', {
  config_key: {
    ...MINT,
    description: 'The account that shares the fees out, which a launch names.',
    examples: [SOME_MINT],
  },
});

/** A sponsorship of a token. */
export interface Sponsorship {
  readonly agent: string;
  /** Transactions that were given to the ledger; numbered. */
  readonly sent: number;
  /** Their cost so far, in digits. */
  readonly lamports?: string;
  readonly config_key?: string;
}

/** When sponsorships were begun, Unix milliseconds. */
export interface Begun {
  readonly at: readonly number[];
}

const stored = (name: string, properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  $id: `sponsor/${name}`,
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const LAMPORTS = { type: 'string', pattern: '^[0-9]{1,20}$' };

/** The plugin's collections. */
export const STORED: readonly object[] = [
  stored('sponsorship', { agent: MINT, sent: { type: 'integer' }, lamports: LAMPORTS, config_key: MINT }, [
    'agent',
    'sent',
  ]),
  stored('begun', { at: { type: 'array', maxItems: 10_000, items: { type: 'integer' } } }, ['at']),
];
