import type { SchemaTypes } from '../../../../schemas/types.ts';
import { formatUsdc } from '../../../platform/usdc.ts';
import { decodeCursor, encodeCursor } from '../../../storage/cursor.ts';
import type { Space } from '../../../storage/space.ts';
import { type SaleRecord, sales } from './records.ts';

/** One page of sales, newest first, with the cursor of the next. */
export async function salesPage(
  space: Space,
  { unserved, before, limit = 50 }: SchemaTypes['x402-sales-query'],
): Promise<SchemaTypes['x402-sales']> {
  const after = decodeCursor(before, '/before');
  const index = unserved ? 'unserved' : 'at';
  const rows = await space.page(sales, { index, reverse: true, limit, ...(after && { after }) });
  const last = rows.at(-1);
  return {
    sales: rows.map(({ id, value }) => saleView(id, value)),
    next: last && rows.length === limit ? encodeCursor(last) : null,
  };
}

function saleView(
  id: string,
  { line, price, payer, state, tries, at, signature }: SaleRecord,
): SchemaTypes['x402-sale'] {
  const timestamp = new Date(at).toISOString();
  return {
    id,
    route: line,
    price_usdc: formatUsdc(BigInt(price)),
    payer,
    state,
    tries,
    transaction: signature ?? null,
    timestamp,
  };
}
