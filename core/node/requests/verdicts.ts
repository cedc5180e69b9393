import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { toHex } from '../../platform/bytes.ts';
import { keccak256 } from '../../protocol/envelopes/keccak.ts';
import type { VerdictPayload } from '../../protocol/envelopes/payloads/payloads.ts';

/** `partial` means `reject`: the protocol has no third outcome, and only a whole delivery is approved. */
const OUTCOMES = {
  approve: 'approve',
  reject: 'reject',
  completed: 'approve',
  partial: 'reject',
  failed: 'reject',
  2: 'approve',
  1: 'reject',
  0: 'reject',
} as const;

type Reasons = Pick<SchemaTypes['verdict-request'], 'reason' | 'reasoning'>;

export function outcomeOf(word: SchemaTypes['verdict-outcome']): 'approve' | 'reject' {
  return OUTCOMES[word];
}

/** A notary's word from the words of a client. */
export function wordOf(request: SchemaTypes['verdict-request']): Pick<VerdictPayload, 'outcome' | 'reason_hash'> {
  const reason = reasonOf(request);
  return {
    outcome: outcomeOf(request.outcome),
    ...(reason !== undefined && { reason_hash: reasonHash(reason) }),
  };
}

/** The reasons, under either name. */
function reasonOf({ reason, reasoning }: Reasons): string | undefined {
  if (reason !== undefined && reasoning !== undefined)
    throw invalidField('/reasoning', 'cannot be given together with reason');
  return reason ?? reasoning;
}

/** The `reason_hash` of a VERDICT whose reason is given in words: the payload carries no text. */
function reasonHash(reason: string): string {
  return toHex(keccak256(Buffer.from(reason, 'utf8')));
}

/** The VERDICT that a request means, whatever words it uses. */
export function verdictOf(words: SchemaTypes['verdict-words']): VerdictPayload {
  const { outcome, reason: _, reasoning: __, ...rest } = words;
  const reason = reasonOf(words);
  const hash = rest.reason_hash ?? (reason === undefined ? undefined : reasonHash(reason));
  return { ...rest, outcome: outcomeOf(outcome), ...(hash !== undefined && { reason_hash: hash }) };
}
