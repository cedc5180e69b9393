import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Http, HttpResponse } from '../../services.ts';
import { fromBase64Json, HEADER, OFFER_HEADER, receiptOf } from './headers.ts';
import { type Fault, type OfferReader, wantedOf } from './offer.ts';
import type { Outcomes } from './outcomes.ts';
import { NOT_NEEDED, paymentView } from './payment-view.ts';
import type { Made, Payments } from './payments.ts';
import type { PaymentView } from './records.ts';

export interface SellerOptions {
  readonly http: Http;
  readonly reader: OfferReader;
  readonly payments: Payments;
  readonly outcomes: Outcomes;
}

/** A resource to call, and to pay for where it asks. */
export interface Purchase {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body: unknown;
  /** Minor units. */
  readonly most: bigint | undefined;
  readonly call: string;
  readonly keyed: boolean;
}

const PAYMENT_REQUIRED = 402;
const MAX_ANSWER = 1_048_576;
const MAX_OFFER = 64 * 1_024;
/** The seller has the ledger take the payment before it answers. */
const PAID_TIMEOUT_MS = 90_000;

/** Buys at a URL: calls it, pays what a 402 asks for, and calls it again with the payment. */
export class Seller {
  readonly #options: SellerOptions;

  constructor(options: SellerOptions) {
    this.#options = options;
  }

  /**
   * Rejects where nothing was paid. Once something was signed it resolves, whatever the seller answers: the caller has to
   * know the payment.
   */
  async buy(purchase: Purchase): Promise<PaymentView> {
    const { payments, reader } = this.#options;
    const standing = await payments.standing(purchase.call, purchase.keyed);
    if (standing) return this.#present(purchase, standing);
    const answer = await this.#call(purchase).catch((error: unknown) => {
      throw isMeshError(error) && error.code === 'invalid_request' ? invalidField('/url', 'cannot be called') : error;
    });
    if (answer.status !== PAYMENT_REQUIRED) return { ...NOT_NEEDED, response: responseOf(answer) };
    const { host } = new URL(answer.url);
    const fault: Fault = (pointer, message, extra) => {
      const detail = `The offer of ${host} cannot be paid: ${pointer || 'it'} ${message}; nothing was paid.`;
      return new MeshError('upstream_failed', { detail, ...(extra && { extra }) });
    };
    const wanted = wantedOf(reader, offerIn(answer), purchase.most, fault);
    const made = await payments.make(wanted, purchase.call);
    return this.#present({ ...purchase, url: answer.url }, made);
  }

  /** Calls with the payment, and asks the ledger about what the seller says of it. */
  async #present(purchase: Purchase, made: Made): Promise<PaymentView> {
    const { payments, outcomes } = this.#options;
    const { id, record, repeated } = made;
    const { version, header } = record;
    const shown = (view: PaymentView, rest: Pick<PaymentView, 'problem' | 'response'>) => ({ ...view, ...rest });
    let answer: HttpResponse;
    try {
      answer = await this.#shown(purchase, repeated, { [HEADER[version]]: header });
    } catch (error) {
      const problem = `${(error as Error).message} The seller holds the payment and may still have it taken.`;
      return shown(paymentView(id, record, repeated), { problem });
    }
    const served = isServed(answer.status);
    const receipt = receiptOf(version, answer.headers);
    const heard = await payments.heard(id, { served, told: receipt?.transaction });
    const asks = !served || receipt?.transaction !== undefined;
    const known = asks ? await outcomes.look(id, heard).catch(() => heard) : heard;
    const view = paymentView(id, known ?? heard, repeated);
    const problem = problemOf(answer.status, served, view, receipt?.transaction);
    return shown(view, { ...(problem !== undefined && { problem }), response: responseOf(answer) });
  }

  /** A URL that leads elsewhere loses the payment on the way there, so it is shown there as it was the first time. */
  async #shown(purchase: Purchase, repeated: boolean, payment: Record<string, string>): Promise<HttpResponse> {
    const answer = await this.#call(purchase, payment);
    const { url, status } = answer;
    if (!repeated || status !== PAYMENT_REQUIRED || new URL(url).origin === new URL(purchase.url).origin) return answer;
    return this.#call({ ...purchase, url }, payment);
  }

  #call({ url, method, body }: Purchase, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.#options.http.request(url, {
      ...{ method, headers, maxBytes: MAX_ANSWER },
      ...(Object.keys(headers).length > 0 && { timeout: PAID_TIMEOUT_MS }),
      ...(body !== undefined && { json: body }),
    });
  }
}

/** The offer of a 402: in its header (version 2), else its body (version 1). */
function offerIn({ headers, body, text }: HttpResponse): unknown {
  const listed = headers.get(OFFER_HEADER);
  if (listed !== null) return fromBase64Json(listed);
  if (body.length > MAX_OFFER) return undefined;
  try {
    return JSON.parse(text());
  } catch {
    return undefined;
  }
}

/** Whether a seller's answer is what was bought. */
export function isServed(status: number): boolean {
  return status >= 200 && status <= 299;
}

function problemOf(
  status: number,
  served: boolean,
  view: PaymentView,
  transaction: string | undefined,
): string | undefined {
  if (!served) {
    const again = status === PAYMENT_REQUIRED ? ' and asks for a payment again, which was not made' : '';
    const [price, shown] = [`${view.amount_usdc} USDC`, 'Repeat the call, and the same payment is shown again.'];
    if (view.status === 'unpaid')
      return `The seller answered ${status}${again}. The payment of ${price} was not taken and can be no more; another call, with a key of its own, makes another.`;
    if (view.status === 'paid')
      return `The seller answered ${status}${again}. It has the ${price}, by the transaction ${view.transaction}. ${shown}`;
    return `The seller answered ${status}${again}. It holds the payment of ${price} and may still have it taken. ${shown}`;
  }
  if (transaction === undefined) return 'The seller served without a receipt that names a transaction.';
  if (view.status !== 'paid' || view.transaction !== transaction)
    return `The ledger does not show this payment in the transaction that the receipt names.`;
  return undefined;
}

function responseOf({
  status,
  url,
  headers,
  body,
}: HttpResponse): NonNullable<SchemaTypes['x402-payment']['response']> {
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return {
    ...{ status, url, content_type: headers.get('content-type') },
    body: isText ? text : null,
    body_base64: isText ? null : bytes.toString('base64'),
  };
}
