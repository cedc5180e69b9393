import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredOrganic = SchemaTypes['stored-organic'];
export type StoredOrganicTotals = SchemaTypes['stored-organic-totals'];

/** The part of an hour or a day that counts after clusters and ground; ids are those of the series. */
export const organicSeries = collection<StoredOrganic>('organic-series', { schema: 'stored-organic', shared: true });

const totals = collection<StoredOrganicTotals>('organic-totals', { schema: 'stored-organic-totals' });
/** The same of all time. */
export const organicTotalsRef = totals.ref('all');

const held = collection<SchemaTypes['stored-organic-escrows']>('organic-escrows', { schema: 'stored-organic-escrows' });
/** The same of the escrows that hold money. */
export const organicEscrowsRef = held.ref('held');
