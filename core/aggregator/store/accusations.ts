import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, type Ref } from '../../storage/declarations.ts';

export type StoredAccusation = SchemaTypes['stored-accusation'];

/** Accusations that are open on the ledger, by when an answer is next tried, and by the accused key. */
export const accusations = collection<StoredAccusation, 'next' | 'key'>('accusations', {
  schema: 'stored-accusation',
  indexes: { next: ({ next_try }) => [next_try], key: ({ key }) => [key] },
});

export function accusationRef(key: string, id: string): Ref<StoredAccusation> {
  return accusations.ref(`${key}/${id}`);
}
