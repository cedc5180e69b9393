import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type StoredHeard = SchemaTypes['stored-heard'];

/** The newest BEACON of each key, in base58, whether or not it said anything new. */
export const heard = collection<StoredHeard>('heard', { schema: 'stored-heard', shared: true });
