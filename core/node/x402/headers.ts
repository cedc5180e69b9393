import type { Wanted } from './offer.ts';

/** The request header that a payment goes in, by the version of x402. */
export const HEADER = { 1: 'X-PAYMENT', 2: 'PAYMENT-SIGNATURE' } as const;
/** The header of a 402 that brings an offer of version 2, in lower case. */
export const OFFER_HEADER = 'payment-required';
const RECEIPT = { 1: 'x-payment-response', 2: 'payment-response' } as const;
const LONGEST = 64 * 1_024;

/** A seller's word about a payment. It proves nothing. */
export interface Receipt {
  readonly success: boolean;
  readonly transaction: string | undefined;
}

/** The value of the header that pays: `transaction` is the base64 of what this node signed. */
export function paymentHeader({ version, accepted, network, resource }: Wanted, transaction: string): string {
  const payload = { transaction };
  const value =
    version === 1
      ? { x402Version: 1, scheme: 'exact', network, payload }
      : { x402Version: 2, ...(resource !== undefined && { resource }), accepted, payload };
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** The receipt that came with an answer; undefined when there is none that can be read. */
export function receiptOf(version: 1 | 2, headers: Headers): Receipt | undefined {
  const value = fromBase64Json(headers.get(RECEIPT[version]) ?? undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const { success, transaction } = value as Record<string, unknown>;
  const signature = typeof transaction === 'string' && /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(transaction);
  return { success: success === true, transaction: signature ? (transaction as string) : undefined };
}

/** The JSON that a text in base64 holds; undefined when it holds none. */
export function fromBase64Json(text: string | undefined): unknown {
  if (text === undefined || text.length > LONGEST || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text.trim())) return undefined;
  try {
    return JSON.parse(Buffer.from(text.trim(), 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
