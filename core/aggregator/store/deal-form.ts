import { fromBase64, fromHex, toBase64, toHex } from '../../platform/bytes.ts';
import { type Acceptance, type DealRecord, type NamedOffer, newRecord } from '../../protocol/deals/record.ts';
import type { CountedRating } from '../../protocol/deals/record-ratings.ts';
import { BASE64_MARK } from '../../storage/adapter.ts';
import type { StoredForm } from '../../storage/declarations.ts';
import { type DealRow, EVENTS, type StoredDeal } from './deals.ts';
import { type FormerDeal, presentForm } from './former-deal-form.ts';

/** A key: its place in the pair, or itself. */
type Key = 0 | 1 | string;
/** An envelope id: its place among `ids`. */
type Id = number;
type Side = 0 | 1 | null;
type Offer = readonly [id: Id, by: Key, at: number, pays: Side];
type Accept = readonly [id: Id, by: Key, at: number, pays: Side, offer: Id | null, agreed: NamedOffer | null];
type Answer = readonly [id: Id, by: Key, at: number, pays: Side, answers: Id | null];
type Rating = readonly [by: 0 | 1, value: number, epoch: number, rest?: Partial<CountedRating>];
/** The kind of event is its place among `EVENTS`. */
type Row = readonly [event: number, id: Id, by: Key, to: Key, slot: number, shown: 0 | 1];

/**
 * A deal as it lies in the store. A key and an envelope id stand in a record some ten times; here each stands once, the pair and the
 * conversation in the document's id alone. Its members are told by their places; null is one that is empty, and so is each behind the last.
 */
export type PackedDeal = readonly [
  mark: typeof BASE64_MARK,
  /** Envelope ids: their 32 bytes each, together in base64 without the padding; a list where one of them is something else. */
  ids: string | readonly string[],
  offers?: readonly [Offer | null, Offer | null] | null,
  accepts?: readonly Accept[] | null,
  deliveries?: readonly Answer[] | null,
  rated?: readonly (readonly [rater: Key, target: Key])[] | null,
  rows?: readonly Row[] | null,
  ratings?: readonly Rating[] | null,
  /** Members that few deals have, as they are. */
  rest?: (Omit<StoredDeal, 'record' | 'rows'> & { readonly record?: Partial<DealRecord> }) | null,
];

export const dealForm: StoredForm<StoredDeal> = {
  pack(deal, id) {
    const { record } = deal;
    const [one, other] = record.pair;
    return id === `${record.conversation}/${one}/${other}` ? new Packing(record).packed(deal) : deal;
  },
  unpack(stored, id) {
    if (Array.isArray(stored)) return unpacked(stored as unknown as PackedDeal, id);
    const former = stored as StoredDeal | FormerDeal;
    return 'record' in former ? former : unpacked(presentForm(former), id);
  },
};

const EMPTY = newRecord('', '', '');
const HEX = /^[0-9a-f]{64}$/;
const ID_BYTES = 32;

class Packing {
  readonly #record: DealRecord;
  readonly #ids: string[] = [];

  constructor(record: DealRecord) {
    this.#record = record;
  }

  packed({ rows, record: _, ...marks }: StoredDeal): PackedDeal {
    const { conversation, pair, offers, accepts, deliveries, rated, ratings, ...others } = this.#record;
    const [first, second] = offers;
    const record = Object.fromEntries(Object.entries(others).filter(([name, value]) => !isUnset(name, value)));
    const rest = { ...marks, ...(Object.keys(record).length > 0 && { record }) };
    const members = [
      first || second ? [this.#offer(first), this.#offer(second)] : null,
      accepts.length > 0 ? accepts.map((accept) => this.#accept(accept)) : null,
      deliveries.length > 0 ? deliveries.map((delivery) => this.#answer(delivery)) : null,
      rated.length > 0 ? rated.map((rating) => this.#rated(rating)) : null,
      rows.length > 0 ? rows.map((row) => this.#row(row)) : null,
      ratings?.map(packedRating) ?? null,
      Object.keys(rest).length > 0 ? rest : null,
    ];
    while (members.at(-1) === null) members.pop();
    return [BASE64_MARK, this.#packedIds(), ...members] as unknown as PackedDeal;
  }

  #packedIds(): string | readonly string[] {
    if (!this.#ids.every((id) => HEX.test(id))) return this.#ids;
    return toBase64(fromHex(this.#ids.join(''), ID_BYTES * this.#ids.length)!).replace(/=+$/, '');
  }

  #offer(offer: DealRecord['offers'][0]): Offer | null {
    return offer && [this.#id(offer.id), this.#key(offer.by), offer.at, offer.pays ?? null];
  }

  #accept({ id, by, at, pays, offer, agreed }: Acceptance): Accept {
    return [this.#id(id), this.#key(by), at, pays ?? null, offer === undefined ? null : this.#id(offer), agreed];
  }

  #answer({ id, by, at, pays, answers }: DealRecord['deliveries'][0]): Answer {
    return [this.#id(id), this.#key(by), at, pays ?? null, answers === undefined ? null : this.#id(answers)];
  }

  #rated(rating: string): readonly [Key, Key] {
    const [rater, target] = rating.split('>') as [string, string];
    return [this.#key(rater), this.#key(target)];
  }

  #row({ event_type, envelope_id, by, to, slot, shown }: DealRow): Row {
    const event = EVENTS.indexOf(event_type);
    return [event, this.#id(envelope_id), this.#key(by), this.#key(to), slot, shown ? 1 : 0];
  }

  #key(key: string): Key {
    const place = this.#record.pair.indexOf(key);
    return place < 0 ? key : (place as 0 | 1);
  }

  #id(id: string): Id {
    const place = this.#ids.indexOf(id);
    return place < 0 ? this.#ids.push(id) - 1 : place;
  }
}

function unpacked(
  [, ids, offers, accepts, deliveries, rated, rows, ratings, rest]: PackedDeal,
  id: string,
): StoredDeal {
  const [conversation, one, other] = id.split('/') as [string, string, string];
  const pair = [one, other];
  const key = (of: Key) => (typeof of === 'string' ? of : pair[of]!);
  const hex = typeof ids === 'string' ? unpackedIds(ids) : ids;
  const stamp = ([place, by, at, pays]: Offer | Accept | Answer) => ({
    ...{ id: hex[place]!, by: key(by), at },
    ...(pays !== null && { pays }),
  });
  const { record: others, ...marks } = rest ?? {};
  const record: DealRecord = {
    ...newRecord(conversation, one, other),
    ...(offers && { offers: [offers[0] && stamp(offers[0]), offers[1] && stamp(offers[1])] }),
    ...(accepts && {
      accepts: accepts.map((accept) => {
        const [, , , , offer, agreed] = accept;
        return { ...stamp(accept), ...(offer !== null && { offer: hex[offer]! }), agreed };
      }),
    }),
    ...(deliveries && {
      deliveries: deliveries.map((delivery) => ({
        ...stamp(delivery),
        ...(delivery[4] !== null && { answers: hex[delivery[4]]! }),
      })),
    }),
    ...(rated && { rated: rated.map(([rater, target]) => `${key(rater)}>${key(target)}`) }),
    ...(ratings && { ratings: ratings.map(([by, value, epoch, more]) => ({ by, value, epoch, ...more })) }),
    ...others,
  };
  const row = ([event, place, by, to, slot, shown]: Row): DealRow => ({
    ...{ event_type: EVENTS[event]!, envelope_id: hex[place]!, by: key(by), to: key(to) },
    ...{ slot, shown: shown === 1 },
  });
  return { record, rows: (rows ?? []).map(row), ...marks };
}

function packedRating({ by, value, epoch, ...rest }: CountedRating): Rating {
  return Object.keys(rest).length > 0 ? [by, value, epoch, rest] : [by, value, epoch];
}

function unpackedIds(text: string): string[] {
  const bytes = fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='))!;
  return Array.from({ length: bytes.length / ID_BYTES }, (_, n) =>
    toHex(bytes.subarray(n * ID_BYTES, (n + 1) * ID_BYTES)),
  );
}

/** Whether a member is as in a record of which nothing is known yet: `[]` or `[null, null]`. */
function isUnset(name: string, value: unknown): boolean {
  if (!(name in EMPTY)) return value === undefined;
  return Array.isArray(value) && value.every((one) => one === null);
}
