import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const SOL_MINT = 'So11111111111111111111111111111111111111112';
const SOL_DECIMALS = 9;

/** SOL and tokens of an address, SOL first. */
export async function balancesOf(
  address: string,
  ledger: Pick<Ledger, 'balances' | 'cluster'> | undefined,
): Promise<SchemaTypes['portfolio-balances']> {
  if (!ledger) throw withoutLedger();
  const { lamports, tokens } = await ledger.balances(address);
  const usdc = ledger.cluster.usdcMint;
  return {
    address,
    tokens: [
      token(SOL_MINT, 'SOL', lamports, SOL_DECIMALS),
      ...tokens.map(({ mint, amount, decimals }) => token(mint, mint === usdc ? 'USDC' : null, amount, decimals)),
    ],
  };
}

export function withoutLedger(): MeshError {
  return new MeshError('ledger_unavailable', 'This node has no ledger; start it with --rpc-url.');
}

function token(mint: string, symbol: string | null, base: bigint, decimals: number) {
  return { mint, symbol, amount: Number(base) / 10 ** decimals, amount_base: base.toString(), decimals };
}
