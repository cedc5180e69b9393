import { fromBase64, toHex } from '../../platform/bytes.ts';
import { type DealRecord, type NamedOffer, newRecord } from '../../protocol/deals/record.ts';
import type { DealRow, StoredDeal } from './deals.ts';

type Key = 0 | 1 | string;
type Side = 0 | 1 | null;
type Offer = readonly [id: number, by: Key, at: number, pays: Side];
type Accept = readonly [id: number, by: Key, at: number, pays: Side, offer: number | null, agreed: NamedOffer | null];
type Answer = readonly [id: number, by: Key, at: number, pays: Side, answers: number | null];
type Row = readonly [event: string, id: number, by: Key, to: Key, slot: number, shown: 0 | 1];

/** A deal as stores of format 3 have it. */
export interface FormerDeal {
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

export function unpackedFormer(
  { ids, offers, accepts, deliveries, rated, rows, rest, ...marks }: FormerDeal,
  id: string,
): StoredDeal {
  const [conversation, one, other] = id.split('/') as [string, string, string];
  const pair = [one, other];
  const key = (of: Key) => (typeof of === 'string' ? of : pair[of]!);
  const hex = ids.map((text) => (text[0] === '=' ? text.slice(1) : toHex(fromBase64(`${text}=`)!)));
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
