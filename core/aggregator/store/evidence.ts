import { appendLog, collection } from '../../storage/declarations.ts';

/** One thing that scores are made of, in the order in which it was taken. */
export interface StoredEvidence {
  readonly kind: 'item' | 'event' | 'escrow' | 'lost' | 'stake' | 'lapse';
  /** When it was taken, Unix milliseconds: what fades and what lapses counts from then. */
  readonly at: number;
  /** JSON; bigints are `{"$n":"1"}`. */
  readonly text: string;
}

/** Written where `core.evidence.keep` is true. */
export const evidence = appendLog<StoredEvidence>('evidence', { schema: () => [] });

export interface EvidenceState {
  /** Whether everything that scores are made of is in it. */
  readonly complete: boolean;
  /** Why not, as the end of a sentence. */
  readonly reason?: string;
}

const states = collection<EvidenceState>('evidence-state', { schema: () => [] });
export const evidenceStateRef = states.ref('kept');
