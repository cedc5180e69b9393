import { MeshError } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';
import { cases, type NotaryCase } from './case-records.ts';

/** The case of a conversation; rejects with `not_found` where this node is no notary. */
export async function caseOf(space: Space, conversation: string): Promise<NotaryCase> {
  const found = await space.get(cases.ref(conversation));
  if (!found)
    throw new MeshError(
      'not_found',
      `This node has no case ${conversation}: a party names its notary with POST /notarize/assign.`,
    );
  return found;
}

export async function changeCase(
  space: Space,
  conversation: string,
  change: (before: NotaryCase, now: number) => NotaryCase,
): Promise<void> {
  const ref = cases.ref(conversation);
  await space.tx([ref], (tx) => {
    const before = tx.get(ref);
    if (before) tx.put(ref, change(before, tx.now));
  });
}
