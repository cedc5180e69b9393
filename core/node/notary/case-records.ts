import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';

export type NotaryCase = SchemaTypes['notary-case'];
export type Verdict = NonNullable<NotaryCase['verdict']>;
export type CaseView = SchemaTypes['notary-case-view'];

const DAY = 86_400_000;

/** Deals this node is the notary of, by conversation. Kept longer than any of them can last. */
export const cases = collection<NotaryCase, 'recent' | 'due'>('notary-cases', {
  schema: 'notary-case',
  ttl: 120 * DAY,
  indexes: {
    recent: ({ opened_at }) => [opened_at],
    due: ({ verdict }) => (verdict && !isFinished(verdict) ? [verdict.at] : undefined),
  },
});

/** Whether both parties have been told and nothing is left to be done on the ledger. */
export function isFinished({ sent, escrow }: Verdict): boolean {
  return Object.keys(sent).length === 2 && escrow !== 'due';
}

export function caseView({ conversation, requester, provider, assigned_by, opened_at, verdict }: NotaryCase): CaseView {
  return {
    conversation_id: conversation,
    requester,
    provider,
    assigned_by,
    opened_at: iso(opened_at),
    verdict: verdict && {
      outcome: verdict.outcome,
      at: iso(verdict.at),
      envelopes: Object.values(verdict.sent),
      escrow: verdict.escrow,
      ...(verdict.signature !== undefined && { signature: verdict.signature }),
    },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
