import { createHash } from 'node:crypto';
import { collection } from '../../core/plugin.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import type { Parties } from './assignment.ts';

export type NotaryCase = SchemaTypes['notary-case'];
export type Verdict = NonNullable<NotaryCase['verdict']>;
export type Sighting = NonNullable<NotaryCase['ledger']>;
export type CaseView = SchemaTypes['notary-case-view'];

const DAY = 86_400_000;

/**
 * Deals this node is the notary of. Whoever knows a conversation can name it first, so a case is that of a conversation, its two
 * parties and their ACCEPT; cases of before lie under their conversation alone. Kept longer than any of them can last.
 */
export const cases = collection<NotaryCase, 'known' | 'recent' | 'untold' | 'watched'>('notary-cases', {
  schema: 'notary-case',
  ttl: 120 * DAY,
  indexes: {
    known: ({ known, opened_at }) => (known ? [opened_at] : undefined),
    /** The others: anybody can open one. */
    recent: ({ known, opened_at }) => (known ? undefined : [opened_at]),
    untold: ({ verdict }) => (verdict && Object.keys(verdict.sent).length < 2 ? [verdict.at] : undefined),
    watched: (one) => (isOver(one) ? undefined : [one.opened_at]),
  },
});

/** The case in which a party of a conversation was told a verdict. */
export const judged = collection<{ readonly case_id: string }>('notary-judged', { schema: () => [], ttl: 120 * DAY });

export function judgedRef(conversation: string, party: string) {
  return judged.ref(`${conversation}-${party}`);
}

/** Parties of the deals that this notary has judged; what they sign later is no stranger's. */
export const judgedParties = collection<true>('notary-parties', { schema: () => [], ttl: 400 * DAY });

/** A case as it is stored: one that was judged, or whose escrow names this notary, is known from then on. */
export function withKnown(found: NotaryCase): NotaryCase {
  const { known, verdict, decision, ledger } = found;
  const isKnown = verdict !== null || decision !== undefined || (ledger !== undefined && ledger.state !== 'other');
  return isKnown && !known ? { ...found, known: true } : found;
}

const ID_DIGITS = 32;

/** The id of a case. On networks of version 1 a party may leave out the ACCEPT, and it tells no cases apart. */
export function caseIdOf(
  conversation: string,
  { requester, provider, accepted }: Parties,
  envelopeVersion: 1 | 2,
): string {
  const named = [requester, provider, envelopeVersion === 2 ? accepted : undefined];
  const hash = createHash('sha256').update(named.join(' ')).digest('hex');
  return `${conversation}-${hash.slice(0, ID_DIGITS)}`;
}

export function idOf({ case_id, conversation }: NotaryCase): string {
  return case_id ?? conversation;
}

/** Whether its escrow is known to have ended, or to have another notary. */
function isOver({ ledger, verdict }: NotaryCase): boolean {
  if (ledger) return ledger.state !== 'running' && ledger.state !== 'contested';
  return verdict !== null && verdict.escrow !== 'due';
}

export function caseView(found: NotaryCase, disputeMs: number): CaseView {
  const { conversation, requester, provider, assigned_by, opened_at, verdict, ledger, decision, known = false } = found;
  return {
    case_id: idOf(found),
    conversation_id: conversation,
    requester,
    provider,
    assigned_by,
    opened_at: iso(opened_at),
    known,
    verdict: verdict && {
      outcome: verdict.outcome,
      at: iso(verdict.at),
      envelopes: Object.values(verdict.sent),
      escrow: standing(verdict, ledger),
      ...(verdict.signature !== undefined && { signature: verdict.signature }),
    },
    ...(ledger && {
      escrow: {
        state: ledger.state,
        ...(ledger.state === 'contested' && { decide_by: iso(ledger.contested_at! + disputeMs) }),
        ...(decision?.signature !== undefined && { signature: decision.signature }),
      },
    }),
  };
}

function standing({ escrow }: Verdict, ledger: Sighting | undefined): Verdict['escrow'] {
  if (!ledger) return escrow;
  if (ledger.state === 'running' || ledger.state === 'contested') return 'due';
  return ledger.state === 'other' ? 'none' : ledger.state;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
