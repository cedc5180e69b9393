import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

/** The agents that sleep, by agent id; who is not here is awake. Only agents that this aggregator knows can be. */
export const sleepers = collection<SchemaTypes['stored-sleeper']>('sleepers', { schema: 'stored-sleeper' });
