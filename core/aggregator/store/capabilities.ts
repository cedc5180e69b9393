import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

/** One capability, and how many agents have it: in the order of their number, or found by the beginning of its name. */
export const capabilities = collection<SchemaTypes['capability-count'], 'most' | 'name'>('capabilities', {
  schema: 'capability-count',
  indexes: {
    most: ({ agents, capability }) => [-agents, capability],
    name: ({ capability }) => [capability],
  },
});

/** The capabilities for which an agent is counted, so that each counts it once whatever it says again. */
export const counted = collection<SchemaTypes['counted-capabilities']>('counted-capabilities', {
  schema: 'counted-capabilities',
});

/** How far agents that advertised before there were counts have been counted. */
export const recounting = collection<SchemaTypes['recounted']>('recounting', { schema: 'recounted' }).ref('agents');
