import { MeshError } from '../../core/plugin.ts';
import type { TradingService } from './service.ts';
import type { Pair } from './tokens.ts';

const MAX_UNITS = 2n ** 64n - 1n;

/** The US dollars that an amount of a token is worth; what has no price cannot be bounded, so it is not traded. */
export async function worthOf(service: TradingService, mint: string, amount: bigint): Promise<number> {
  const price = (await service.prices([mint]))[mint];
  if (!price) throw new MeshError('trade_cap', `${mint} has no price, so the caps cannot be kept; nothing was sent.`);
  return (Number(amount) / 10 ** price.decimals) * price.usdPrice;
}

export function unitsOf(given: number | string, pointer: string): bigint {
  const amount = BigInt(given);
  if (amount < 1n || amount > MAX_UNITS) throw wrong(pointer, 'must be from 1 to 2^64 - 1');
  return amount;
}

export function checkPair({ input_mint, output_mint }: Pair): void {
  if (input_mint === output_mint) throw wrong('/output_mint', 'is the input token itself');
}

export function wrong(pointer: string, message: string): MeshError {
  return new MeshError('invalid_request', { detail: `${pointer} ${message}`, fields: [{ pointer, message }] });
}
