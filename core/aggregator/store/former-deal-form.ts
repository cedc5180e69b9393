import { fromBase64, toHex } from '../../platform/bytes.ts';
import type { DealRecord } from '../../protocol/deals/record.ts';
import { BASE64_MARK } from '../../storage/adapter.ts';
import type { PackedDeal } from './deal-form.ts';
import { type DealEvent, EVENTS, type StoredDeal } from './deals.ts';

type Members<T> = T extends readonly [unknown, ...infer Rest] ? Rest : never;
type FormerRow = readonly [event: DealEvent, ...Members<NonNullable<PackedDeal[6]>[number]>];

/** A deal as stores of format 3 have it: with names for its members and for the kinds of events, and each id by itself. */
export interface FormerDeal extends Omit<StoredDeal, 'record' | 'rows'> {
  readonly ids: readonly string[];
  readonly offers?: PackedDeal[2];
  readonly accepts?: PackedDeal[3];
  readonly deliveries?: PackedDeal[4];
  readonly rated?: PackedDeal[5];
  readonly rows?: readonly FormerRow[];
  readonly rest?: Partial<DealRecord>;
}

/** The same deal in the present form; what was rated stays a member of its record. */
export function presentForm({ ids, rest, rows, ...former }: FormerDeal): PackedDeal {
  const { offers = null, accepts = null, deliveries = null, rated = null, ...marks } = former;
  const hex = ids.map((text) => (text[0] === '=' ? text.slice(1) : toHex(fromBase64(`${text}=`)!)));
  const present = (rows ?? []).map(([event, ...row]) => [EVENTS.indexOf(event), ...row] as const);
  const others = { ...marks, ...(rest && { record: rest }) };
  return [BASE64_MARK, hex, offers, accepts, deliveries, rated, present, null, others];
}
