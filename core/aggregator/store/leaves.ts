import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, type Ref } from '../../storage/declarations.ts';

export type StoredLeafList = SchemaTypes['stored-leaf-list'];

/** Leaf lists by key and epoch; the leaves themselves are blobs. `epoch` finds those that nobody can need any more. */
export const leafLists = collection<StoredLeafList, 'epoch'>('leaf-lists', {
  schema: 'stored-leaf-list',
  indexes: { epoch: ({ epoch }) => [epoch] },
});

export function leafListRef(key: string, epoch: number): Ref<StoredLeafList> {
  return leafLists.ref(`${key}/${epoch}`);
}
