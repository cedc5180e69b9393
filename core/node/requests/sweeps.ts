import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { amountJson } from '../../platform/usdc.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { DoneSweep, SweepWish } from '../wallet/sweeps.ts';
import { agentOf } from './addresses.ts';
import { optionalAmountOf } from './amounts.ts';

const MICRO = 1e6;

/** The sweep that a request asks for; `call` is its name where it may be repeated. */
export function sweepWishOf(body: SchemaTypes['sweep-request'], call: string | undefined): SweepWish {
  const destination = formatAgentId(agentOf(body.destination, '/destination'));
  const given = optionalAmountOf(body);
  if (body.amount !== undefined && given !== undefined)
    throw invalidField('/amount', 'cannot be given together with amount_usdc or amount_usdc_micro');
  const amount = given ?? (body.amount === undefined ? undefined : BigInt(body.amount));
  if (amount === 0n) throw invalidField('/amount_usdc', 'is 0: there is nothing to sweep');
  return { destination, amount, call };
}

export function sweepView({ signature, amount, destination }: DoneSweep): SchemaTypes['sweep'] {
  return { signature, amount_usdc: Number(amount) / MICRO, amount_usdc_micro: amountJson(amount), destination };
}
