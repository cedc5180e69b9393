import { MeshError } from '../../core/plugin.ts';
import { wrong } from './checks.ts';
import type { SwapRequest } from './shapes.ts';

const UNITS = /^\d{1,20}$/;

/** The least that the quote of a request promised; undefined without one. Refuses a quote for something else, before anybody is asked. */
export function quotedBy(request: SwapRequest, amount: bigint): bigint | undefined {
  const { quote, input_mint, output_mint } = request;
  if (!quote) return undefined;
  const { inputMint = input_mint, outputMint = output_mint, inAmount = amount.toString() } = quote;
  if (inputMint !== input_mint) throw wrong('/quote/inputMint', `is not ${input_mint}, which the swap gives`);
  if (outputMint !== output_mint) throw wrong('/quote/outputMint', `is not ${output_mint}, which the swap takes`);
  if (inAmount !== amount.toString()) throw wrong('/quote/inAmount', `is not ${amount}, which the swap gives`);
  for (const name of ['otherAmountThreshold', 'outAmount'] as const) {
    const promised = quote[name];
    if (promised === undefined) continue;
    if (!UNITS.test(promised)) throw wrong(`/quote/${name}`, 'must be decimal digits');
    return BigInt(promised);
  }
  return undefined;
}

/** A quote that the caller saw binds: it must still be there. */
export function checkQuoted(quoted: bigint | undefined, now: bigint): void {
  if (quoted === undefined || now >= quoted) return;
  throw new MeshError('quote_changed', {
    detail: `The quote promised at least ${quoted}, and the market gives ${now} now; nothing was sent.`,
    extra: { quoted: quoted.toString(), now: now.toString() },
  });
}
