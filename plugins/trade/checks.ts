import { MeshError } from '../../core/plugin.ts';
import type { LedgerAccounts } from '../../core/services.ts';
import type { TradingService } from './service.ts';
import { type Pair, SOL } from './tokens.ts';

const MAX_UNITS = 2n ** 64n - 1n;
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const MINT_BYTES = 82;
/** A token account has 165 bytes; with extensions, this one tells what it is. */
const TYPE_AT = 165;
const IS_MINT = 1;

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

/** Both are tokens of this ledger: an order for something that nobody can have would hold the tokens that it gives for ever. */
export async function checkMints(accounts: LedgerAccounts, pair: Pair): Promise<void> {
  const mints = (['input_mint', 'output_mint'] as const).filter((field) => pair[field] !== SOL);
  const found = await accounts.latest(mints.map((field) => pair[field]));
  for (const [index, field] of mints.entries()) {
    const { owner, data } = found[index] ?? { owner: '', data: new Uint8Array() };
    const isMint =
      data.length === MINT_BYTES
        ? [TOKEN, TOKEN_2022].includes(owner)
        : owner === TOKEN_2022 && data[TYPE_AT] === IS_MINT;
    if (!isMint) throw wrong(`/${field}`, 'is no token of this ledger');
  }
}

export function wrong(pointer: string, message: string): MeshError {
  return new MeshError('invalid_request', { detail: `${pointer} ${message}`, fields: [{ pointer, message }] });
}
