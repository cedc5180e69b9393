import { amountJson } from '../../platform/usdc.ts';
import { HEADER } from './headers.ts';
import type { PaymentRecord, PaymentView } from './records.ts';

const MICRO = 1e6;

/** The payment as the API shows it. */
export function paymentView(id: string, record: PaymentRecord, repeated: boolean): PaymentView {
  const { version, header, network, amount, to, fee_payer, transaction = null, at } = record;
  return {
    payment_id: id,
    status: statusOf(record),
    payment_signature: header === '' ? null : header,
    header_name: HEADER[version],
    x402_version: version,
    network,
    amount_micro: amountJson(BigInt(amount)),
    amount_usdc: Number(amount) / MICRO,
    pay_to: to,
    fee_payer,
    transaction,
    made_at: new Date(at).toISOString(),
    repeated,
  };
}

/** The answer for a URL that asked for no payment. */
export const NOT_NEEDED: PaymentView = {
  ...{ payment_id: null, status: 'not_needed', payment_signature: null, header_name: null, x402_version: null },
  ...{ network: null, amount_micro: 0, amount_usdc: 0, pay_to: null, fee_payer: null, transaction: null },
  ...{ made_at: null, repeated: false },
};

function statusOf({ state, lapsed = false }: PaymentRecord): PaymentView['status'] {
  if (state === 'begun' || state === 'made') return lapsed ? 'unknown' : 'pending';
  return state;
}
