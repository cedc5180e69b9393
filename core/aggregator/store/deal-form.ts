import { toBase64, toHex } from '../../platform/bytes.ts';
import { type Acceptance, type DealRecord, type NamedOffer, newRecord } from '../../protocol/deals/record.ts';
import type { StoredForm } from '../../storage/declarations.ts';
import type { DealRow, StoredDeal } from './deals.ts';

/** A key: its place in the pair, or itself. */
type Key = 0 | 1 | string;
/** An envelope id: its place among `ids`. */
type Id = number;
type Side = 0 | 1 | null;
type Offer = readonly [id: Id, by: Key, at: number, pays: Side];
type Accept = readonly [id: Id, by: Key, at: number, pays: Side, offer: Id | null, agreed: NamedOffer | null];
type Answer = readonly [id: Id, by: Key, at: number, pays: Side, answers: Id | null];
type Row = readonly [event: string, id: Id, by: Key, to: Key, slot: number, shown: 0 | 1];

/**
 * A deal as it lies in the store. A key and an envelope id stand in a record some ten times; here each stands once, the pair and the
 * conversation in the document's id alone. Members that few deals have stay as they are, and empty ones are left out.
 */
interface PackedDeal {
  /** Envelope ids: their 32 bytes in base64 without the padding; any other text behind a `=`. */
  readonly ids: readonly string[];
  readonly offers?: readonly [Offer | null, Offer | null];
  readonly accepts?: readonly Accept[];
  readonly deliveries?: readonly Answer[];
  readonly rated?: readonly (readonly [rater: Key, target: Key] | string)[];
  readonly rows?: readonly Row[];
  readonly rest?: Partial<DealRecord>;
  readonly due?: number;
  readonly counted?: boolean;
  readonly judged?: boolean;
}

export const dealForm: StoredForm<StoredDeal> = {
  pack(deal, id) {
    const { record, rows, ...rest } = deal;
    const [one, other] = record.pair;
    return id === `${record.conversation}/${one}/${other}` ? { ...new Packing(record).packed(rows), ...rest } : deal;
  },
  unpack(stored, id) {
    const deal = stored as StoredDeal | PackedDeal;
    return 'record' in deal ? deal : unpacked(deal, id);
  },
};

const EMPTY = newRecord('', '', '');
const HEX = /^[0-9a-f]{64}$/;

class Packing {
  readonly #record: DealRecord;
  readonly #ids: string[] = [];
  /** The same ids as they stand in the record: each is put in its place by all that name it. */
  readonly #named: string[] = [];

  constructor(record: DealRecord) {
    this.#record = record;
  }

  packed(rows: readonly DealRow[]): PackedDeal {
    const { conversation, pair, offers, accepts, deliveries, rated, ...others } = this.#record;
    const [first, second] = offers;
    const rest: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(others)) if (!isUnset(name, value)) rest[name] = value;
    return {
      ids: this.#ids,
      ...((first || second) && { offers: [this.#offer(first), this.#offer(second)] }),
      ...(accepts.length > 0 && { accepts: accepts.map((accept) => this.#accept(accept)) }),
      ...(deliveries.length > 0 && { deliveries: deliveries.map((delivery) => this.#answer(delivery)) }),
      ...(rated.length > 0 && { rated: rated.map((rating) => this.#rating(rating)) }),
      ...(rows.length > 0 && { rows: rows.map((row) => this.#row(row)) }),
      ...(Object.keys(rest).length > 0 && { rest: rest as Partial<DealRecord> }),
    };
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

  #rating(rating: string): readonly [Key, Key] {
    const [rater, target] = rating.split('>') as [string, string];
    return [this.#key(rater), this.#key(target)];
  }

  #row({ event_type, envelope_id, by, to, slot, shown }: DealRow): Row {
    return [event_type, this.#id(envelope_id), this.#key(by), this.#key(to), slot, shown ? 1 : 0];
  }

  #key(key: string): Key {
    const place = this.#record.pair.indexOf(key);
    return place < 0 ? key : (place as 0 | 1);
  }

  #id(id: string): Id {
    const place = this.#named.indexOf(id);
    if (place >= 0) return place;
    this.#ids.push(HEX.test(id) ? toBase64(Buffer.from(id, 'hex')).slice(0, -1) : `=${id}`);
    return this.#named.push(id) - 1;
  }
}

function unpacked(
  { ids, offers, accepts, deliveries, rated, rows, rest, ...marks }: PackedDeal,
  id: string,
): StoredDeal {
  const [conversation, one, other] = id.split('/') as [string, string, string];
  const pair = [one, other];
  const key = (of: Key) => (typeof of === 'string' ? of : pair[of]!);
  const hex = ids.map((text) => (text[0] === '=' ? text.slice(1) : toHex(Buffer.from(text, 'base64'))));
  const stamp = ([place, by, at, pays]: Offer | Accept | Answer) => ({
    ...{ id: hex[place]!, by: key(by), at },
    ...(pays !== null && { pays }),
  });
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
    ...(rated && { rated: rated.map(([rater, target]) => `${key(rater as Key)}>${key(target as Key)}`) }),
    ...rest,
  };
  const row = ([event_type, place, by, to, slot, shown]: Row): DealRow => ({
    ...{ event_type: event_type as DealRow['event_type'], envelope_id: hex[place]!, by: key(by), to: key(to) },
    ...{ slot, shown: shown === 1 },
  });
  return { record, rows: (rows ?? []).map(row), ...marks };
}

/** Whether a member is as in a record of which nothing is known yet: `[]` or `[null, null]`. */
function isUnset(name: string, value: unknown): boolean {
  if (!(name in EMPTY)) return value === undefined;
  return Array.isArray(value) && value.every((one) => one === null);
}
