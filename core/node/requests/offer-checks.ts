import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, type MeshError } from '../../contracts/errors.ts';
import { canBeLocked, unlockableTerm } from '../../protocol/deals/agreed-lock.ts';
import type { Terms } from '../../protocol/deals/deal.ts';
import { offeredTerms } from '../../protocol/deals/offered-terms.ts';
import { completeTerms, problemTerm, type TermProblem } from '../../protocol/deals/terms.ts';
import type { Payloads } from '../../protocol/envelopes/payloads/payloads.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';

type Request = SchemaTypes['propose-request'] | SchemaTypes['counter-request'];

/** The circumstances of an offer: its time, its parties, the offer before it, and the ledger's numbers. */
export interface OfferPlace {
  readonly at: number;
  readonly parties: readonly string[];
  readonly before?: Terms;
  readonly numbers: SettlementNumbers | undefined;
}

/** Terms that only a locked amount gives a meaning. */
const OF_ESCROW = ['bond_usdc', 'bond_usdc_micro', 'dispute_bps', 'notary'] as const;

/**
 * Whether a proposal promises a lock: as it says, else wherever it can. One that names terms of an escrow is refused
 * where its times keep the ledger from locking it, since it would go without them unasked.
 */
export function escrowOf(
  request: SchemaTypes['propose-request'],
  amount: bigint,
  numbers: SettlementNumbers | undefined,
): boolean | undefined {
  if (request.escrow !== undefined) return request.escrow;
  const named = OF_ESCROW.find((field) => request[field] !== undefined);
  const wrong = named && numbers && amount > 0n ? unlockableTerm(request, numbers) : undefined;
  if (wrong)
    throw refusal(request, { ...wrong, message: `${wrong.message}; ${named} asks for escrow unless escrow is false` });
  return canBeLocked(amount, request, numbers) ? true : undefined;
}

/** Throws `invalid_request` with the caller's name of the first term that cannot stand in this offer. */
export function checkOffer(
  request: Request,
  value: Payloads['PROPOSE'] | Payloads['COUNTER'],
  { at, parties, before, numbers }: OfferPlace,
): void {
  const terms = completeTerms(offeredTerms(value), before, at);
  const unlockable = terms.escrow && numbers ? unlockableTerm(terms, numbers) : undefined;
  const wrong = unlockable ?? problemTerm(terms, at, parties);
  if (wrong) throw refusal(request, wrong);
}

function refusal(request: Request, { term, message }: TermProblem): MeshError {
  return invalidField(`/${fieldOf(request, term)}`, message);
}

/** A counter cannot change whether there is escrow, so there the amount is what can be mended. */
function fieldOf(request: Request, term: keyof Terms): string {
  if (term === 'bond') return spelled(request, 'bond');
  if (term === 'amount' || (term === 'escrow' && !('escrow' in request))) return spelled(request, 'amount');
  return term;
}

function spelled(request: Request, name: 'amount' | 'bond'): string {
  return request[`${name}_usdc_micro`] === undefined ? `${name}_usdc` : `${name}_usdc_micro`;
}
