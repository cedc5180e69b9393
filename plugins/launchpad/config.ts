import { type TypedSchema, typed } from '../../core/plugin.ts';
import { HTTPS, MINT } from './tokens.ts';

/** How the launchpad is called; the sponsor of an aggregator has the same. */
export interface ApiConfig {
  readonly apiUrl: string;
  readonly apiKey?: string;
}

export interface LaunchpadConfig extends ApiConfig {
  readonly partnerWallet?: string;
  readonly partnerKey?: string;
  readonly pricesUrl: string;
  readonly defaultImageUrl?: string;
  readonly maxSlippageBps: number;
  readonly listingUsdc: number;
  readonly maxListingUsdc: number;
  readonly programs: readonly string[];
}

export const API = {
  apiUrl: {
    description: 'The launchpad; https, since the key goes along.',
    type: 'string',
    format: 'uri',
    default: 'https://public-api-v2.bags.fm/api/v1',
  },
  apiKey: {
    description: 'Its key. Nothing of the launchpad works without one.',
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,512}$',
  },
};

/** The programs of the launchpad: pools before and after their migration, fee shares, and the names of tokens. */
export const PROGRAMS = [
  'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
  'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
  'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
] as const;

export const config: TypedSchema<LaunchpadConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...API,
    partnerWallet: { ...MINT, description: 'The wallet that earns a part of the fees of launches through this node.' },
    partnerKey: { ...MINT, description: 'Its partner config at the launchpad, an address and no secret.' },
    pricesUrl: {
      description: 'The source of prices in US dollars (Dexscreener).',
      type: 'string',
      format: 'uri',
      default: 'https://api.dexscreener.com',
    },
    defaultImageUrl: { ...HTTPS, description: 'The image of a token that is launched without one; else a blank one.' },
    maxSlippageBps: {
      description: 'How much worse than its quote a swap may end, in hundredths of a percent.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 1_000,
    },
    listingUsdc: {
      description: 'The price of a chart listing in USDC, until an order has told it.',
      type: 'number',
      minimum: 0,
      default: 299,
    },
    maxListingUsdc: {
      description: 'The most that a chart listing may cost in USDC. The caps of core.money hold beside it.',
      type: 'number',
      minimum: 0,
      default: 300,
    },
    programs: {
      description: 'Programs that a transaction of the launchpad may call, beside those for SOL, tokens and memos.',
      type: 'array',
      maxItems: 100,
      items: MINT,
      default: [...PROGRAMS],
    },
  },
});

/** Throws unless the key travels encrypted, or not at all. */
export function checkUrl(apiUrl: string): void {
  const { protocol, hostname } = new URL(apiUrl);
  if (protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return;
  throw new Error(`apiUrl must begin with https://, or the API key would travel for everybody to read: ${hostname}`);
}
