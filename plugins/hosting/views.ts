import { amountJson, formatUsdc, invalidField } from '../../core/plugin.ts';
import type { LocalAgent } from '../../core/services.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import type { Balance, Movement } from './accounts.ts';
import type { Registered as Made } from './host.ts';
import type { Line, Session } from './records.ts';
import type { Issued } from './sessions.ts';
import { amountOf } from './usdc.ts';

/** The members about this host in every answer about an agent. */
export interface Place {
  readonly host: string;
  readonly fee_bps: number;
}

export function registeredView({ key, session, token }: Made, place: Place): SchemaTypes['hosted-registered'] {
  const agent_id_hex = Buffer.from(key).toString('hex');
  return { ...renewedView({ session, token }), agent_id_hex, name: session.name, ...place };
}

export function renewedView({ session, token }: Issued): SchemaTypes['hosted-token'] {
  return { agent_id: session.agent_id, token, expires_at: iso(session.expires_at) };
}

export function sessionView(
  { agent_id, name, created_at, expires_at }: Session,
  { available, held }: Balance,
  { fee_bps }: Pick<Place, 'fee_bps'>,
  keys: Pick<LocalAgent, 'successor' | 'predecessor' | 'pendingSuccessors'> | undefined,
): SchemaTypes['hosted-session'] {
  const { successor, predecessor, pendingSuccessors: pending = [] } = keys ?? {};
  return {
    ...{ agent_id, name, created_at: iso(created_at), expires_at: iso(expires_at), fee_bps },
    ...{ available_usdc: formatUsdc(available), available_usdc_micro: amountJson(available) },
    ...{ held_usdc: formatUsdc(held), held_usdc_micro: amountJson(held) },
    ...(successor !== undefined && { successor }),
    ...(pending.length > 0 && { pending_successors: pending.map((one) => ({ ...one, until: iso(one.until) })) }),
    ...(predecessor !== undefined && { predecessor }),
  };
}

/** A page of a statement that was asked for with so many lines. */
export function statementView(lines: readonly Line[], limit: number): SchemaTypes['hosted-statement'] {
  const last = lines.at(-1)?.number ?? 1;
  return { lines: lines.map(lineView), next: lines.length === limit && last > 1 ? last : null };
}

/** The amount that an operator moves, and the words for the statement. */
export function movementOf(body: SchemaTypes['hosted-movement']): Omit<Movement, 'operationId'> {
  const amount = amountOf(body);
  if (amount === undefined) throw invalidField('/amount_usdc', 'is needed: give amount_usdc or amount_usdc_micro');
  if (amount === 0n) throw invalidField('/amount_usdc', 'must be more than 0');
  return { amount, reference: body.reference ?? '' };
}

export function lineView({
  number,
  at,
  kind,
  amount,
  balance,
  reference,
  envelope_id,
  conversation_id,
}: Line): SchemaTypes['hosted-line'] {
  return {
    ...{ number, at: iso(at), kind },
    ...{ amount_usdc: formatUsdc(BigInt(amount)), amount_usdc_micro: amountJson(BigInt(amount)) },
    ...{ balance_usdc: formatUsdc(BigInt(balance)), balance_usdc_micro: amountJson(BigInt(balance)) },
    reference,
    ...(envelope_id !== undefined && { envelope_id }),
    ...(conversation_id !== undefined && { conversation_id }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
