import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../../schemas/types.ts';
import type { Contracts } from '../../../contracts/contracts.ts';
import { invalidField } from '../../../contracts/errors.ts';
import type { Admission } from '../../../http/guard.ts';
import type { ForeignTransactions } from '../../../ledger/foreign.ts';
import { paymentMemo } from '../../payments/memo.ts';
import { fromBase64Json } from '../headers.ts';
import { faultOf, type Terms } from './terms.ts';

/** A payment that fits the terms of its call. The ledger was not asked yet. */
export interface OfferedPayment {
  readonly id: string;
  readonly version: 1 | 2;
  readonly payer: string;
  readonly fee: bigint;
  readonly bytes: Uint8Array;
  readonly resource: string;
}

type Header = SchemaTypes['x402-header'];

export interface PaymentReader {
  readonly contracts: Contracts;
  readonly foreign: Pick<ForeignTransactions, 'sponsored'>;
}

/** The payment in the headers of a request. Throws 402 with the offer where there is none, or one that does not fit. */
export function paymentOf(
  { contracts, foreign }: PaymentReader,
  terms: Terms,
  headers: Admission['headers'],
  resource: string,
): OfferedPayment {
  const [second, first] = [headers['payment-signature'], headers['x-payment']];
  if (second === undefined && first === undefined) throw terms.required(resource);
  if (second !== undefined && first !== undefined)
    throw invalidField('/x-payment', 'cannot come together with PAYMENT-SIGNATURE');
  const version = second === undefined ? 1 : 2;
  const name = version === 2 ? '/payment-signature' : '/x-payment';
  const value = fromBase64Json(second ?? first);
  if (value === undefined) throw invalidField(name, 'must be JSON in base64');
  const [problem] = contracts.problems('x402-header', value);
  if (problem) throw invalidField(name + problem.pointer, problem.message);
  const header = value as Header;
  if (header.x402Version !== version) throw invalidField(`${name}/x402Version`, `must be ${version} in this header`);
  const refuse = (pointer: string, message: string) => terms.required(resource, { pointer, message });
  if (version === 2) checkAccepted(header.accepted ?? {}, terms, refuse);
  else {
    if (header.scheme !== 'exact') throw refuse('/scheme', 'must be exact');
    if (header.network !== terms.networkOf(1)) throw refuse('/network', `must be ${terms.networkOf(1)}`);
  }
  const bytes = Buffer.from(header.payload.transaction, 'base64');
  try {
    const { payer, fee, memos, message } = foreign.sponsored(bytes, {
      ...{ wallet: terms.wallet, payTo: terms.wallet, amount: terms.sale.price },
    });
    // Such a transfer would count for a deal as well.
    if (memos.some((memo) => memo.startsWith(paymentMemo(''))))
      throw invalidField('/transaction/memo', 'is that of the payment of a deal');
    const id = createHash('sha256').update(message).digest('hex');
    return { id, version, payer, fee, bytes, resource };
  } catch (error) {
    const fault = faultOf(error);
    throw fault ? terms.required(resource, fault) : error;
  }
}

/** Each member that decides about money has to be that of the offer. */
function checkAccepted(
  given: Readonly<Record<string, unknown>>,
  { accepted }: Terms,
  refuse: (pointer: string, message: string) => Error,
): void {
  for (const name of ['scheme', 'network', 'asset', 'payTo', 'amount'] as const)
    if (given[name] !== accepted[name]) throw refuse(`/accepted/${name}`, `must be ${accepted[name]}`);
  const extra = Object(given['extra']) as Record<string, unknown>;
  if (extra['feePayer'] !== accepted.extra.feePayer)
    throw refuse('/accepted/extra/feePayer', `must be ${accepted.extra.feePayer}`);
}
