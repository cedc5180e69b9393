import { MeshError } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';
import { cases, idOf, type NotaryCase, withKnown } from './case-records.ts';

/** Cases of one conversation that are compared; with more of them its caller names one. */
const MOST = 100;
const NAMED = 5;

/** Which case a call means: of a conversation, and by its id where there are several. */
export interface Asked {
  readonly conversation: string;
  readonly caseId?: string | undefined;
  /** One of its parties. */
  readonly party?: string | undefined;
}

/**
 * The case that a call means; rejects with `not_found` where this node is no notary. Of several, the one that was judged, then the one
 * whose escrow names this notary, then the one that both parties assigned; `conflict` where that leaves more than one.
 */
export async function caseOf(space: Space, { conversation, caseId, party }: Asked): Promise<NotaryCase> {
  if (caseId !== undefined) {
    const named = await space.get(cases.ref(caseId));
    if (named?.conversation === conversation) return named;
    throw missing(conversation);
  }
  const rows = await space.page(cases, { idPrefix: conversation, limit: MOST + 1 });
  const all = rows.map(({ value }) => value).filter((one) => party === undefined || hasParty(one, party));
  if (all.length === 0) throw missing(conversation);
  const weight = Math.max(...all.map(weightOf));
  const best = all.filter((one) => weightOf(one) === weight);
  if (best.length === 1 && rows.length <= MOST) return best[0]!;
  const ids = best.slice(0, NAMED).map(idOf).join(', ');
  throw new MeshError(
    'conflict',
    `${rows.length > MOST ? `More than ${MOST}` : best.length} pairs of agents say that you are their notary in this conversation. Name the case that you mean as case_id, such as ${ids}; GET /notarize/cases shows their parties.`,
  );
}

/** The same; undefined where this node is no notary, or nothing tells several cases apart. */
export async function findCase(space: Space, asked: Asked): Promise<NotaryCase | undefined> {
  return caseOf(space, asked).catch((error: unknown) => {
    if (error instanceof MeshError) return undefined;
    throw error;
  });
}

function hasParty({ requester, provider }: NotaryCase, party: string): boolean {
  return party === requester || party === provider;
}

export async function changeCase(
  space: Space,
  found: NotaryCase,
  change: (before: NotaryCase, now: number) => NotaryCase,
): Promise<void> {
  const ref = cases.ref(idOf(found));
  await space.tx([ref], (tx) => {
    const before = tx.get(ref);
    if (before) tx.put(ref, withKnown(change(before, tx.now)));
  });
}

/** A case as it is now. */
export async function caseAgain(space: Space, found: NotaryCase): Promise<NotaryCase> {
  return (await space.get(cases.ref(idOf(found)))) ?? found;
}

function weightOf({ verdict, decision, ledger, assigned_by }: NotaryCase): number {
  const isJudged = verdict !== null || decision !== undefined;
  const isOnLedger = ledger !== undefined && ledger.state !== 'other';
  return (isJudged ? 4 : 0) + (isOnLedger ? 2 : 0) + (assigned_by.length === 2 ? 1 : 0);
}

function missing(conversation: string): MeshError {
  return new MeshError(
    'not_found',
    `This node has no case ${conversation}: a party names its notary with POST /notarize/assign.`,
  );
}
