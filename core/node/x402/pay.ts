import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import { parseUsdc } from '../../platform/usdc.ts';
import { fromBase64Json } from './headers.ts';
import { type Fault, type OfferReader, wantedOf } from './offer.ts';
import { paymentView } from './payment-view.ts';
import { callName, type Payments } from './payments.ts';
import type { PaymentView } from './records.ts';
import type { Seller } from './seller.ts';

type Request = SchemaTypes['x402-pay-request'];

export interface PayOptions {
  readonly reader: OfferReader;
  readonly payments: Payments;
  readonly seller: Seller;
}

const WAYS = ['payment_required_b64', 'payment_required', 'url'] as const;

/** Answers `POST /wallet/x402/pay`. */
export class Pay {
  readonly #options: PayOptions;
  /** The newest work on each call: one at a time, so that a call stands for one payment. */
  readonly #turns = new OneByOne();

  constructor(options: PayOptions) {
    this.#options = options;
  }

  /** `key` names the call, the same when it is repeated; undefined where the caller gave none. */
  async pay(request: Request, key: string | undefined): Promise<PaymentView> {
    const given = WAYS.filter((way) => request[way] !== undefined);
    const [way, other] = given;
    if (!way || other)
      throw invalidField(
        other ? `/${other}` : '/payment_required_b64',
        `${other ? 'cannot be given together with another offer' : 'is needed'}: give one of ${WAYS.join(', ')}`,
      );
    const most = request.max_usdc === undefined ? undefined : parseUsdc(request.max_usdc);
    return way === 'url' ? this.#buy(request, most, key) : this.#offered(request, way, most, key);
  }

  #buy(request: Request, most: bigint | undefined, key: string | undefined): Promise<PaymentView> {
    const { url = '', body, method = body === undefined ? 'GET' : 'POST' } = request;
    if (method === 'GET' && body !== undefined)
      throw invalidField('/body', 'is not sent with a GET; leave out `method`');
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw invalidField('/url', 'must be an http or https URL');
    const target = [method, new URL(url).href, body ?? null];
    const call = key === undefined ? callName('url', ...target) : callName('key', key, ...target);
    const purchase = { url, method, body, most, call, keyed: key !== undefined };
    return this.#turns.run(call, () => this.#options.seller.buy(purchase));
  }

  #offered(
    request: Request,
    way: 'payment_required_b64' | 'payment_required',
    most: bigint | undefined,
    key: string | undefined,
  ): Promise<PaymentView> {
    const { reader, payments } = this.#options;
    const fault: Fault = (pointer, message, extra) => {
      const place = `/${way}${way === 'payment_required' ? pointer : ''}`;
      const said = way === 'payment_required' ? message : `holds an offer in which ${pointer || 'it'} ${message}`;
      if (!extra) return invalidField(place, said);
      return new MeshError('invalid_request', {
        ...{ detail: `${place} ${said}`, fields: [{ pointer: place, message: said }], extra },
      });
    };
    const offer = way === 'payment_required' ? request[way] : fromBase64Json(request[way]);
    if (offer === undefined) throw invalidField(`/${way}`, 'is not base64 of JSON');
    const wanted = wantedOf(reader, offer, most, fault);
    const { version, accepted, resource = null } = wanted;
    const target = [version, accepted, resource];
    const call = key === undefined ? callName('offer', ...target) : callName('key', key, ...target);
    return this.#turns.run(call, async () => {
      const standing = await payments.standing(call, key !== undefined);
      const { id, record, repeated } = standing ?? (await payments.make(wanted, call));
      return paymentView(id, record, repeated);
    });
  }
}
