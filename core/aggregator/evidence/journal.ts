import { internalToken } from '../../platform/token.ts';
import type { DealRecord } from '../../protocol/deals/record.ts';
import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';
import type { SettlementEvent } from '../../protocol/settlement/events.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import { agents } from '../store/agents.ts';
import { type EvidenceState, evidence, evidenceStateRef, type StoredEvidence } from '../store/evidence.ts';
import type { StoredStake } from '../store/ledger.ts';

/** The content of each kind of evidence. */
export interface EvidenceOf {
  /** An envelope or a receipt as it was reported, base64; private envelopes as their receipts. */
  readonly item: { readonly form: 'envelope' | 'receipt'; readonly bytes_b64: string };
  /** An event of the settlement program. */
  readonly event: { readonly event: SettlementEvent };
  /** The account of an escrow, as it was read. */
  readonly escrow: {
    readonly name: EscrowName;
    readonly signature: string;
    readonly slot: number;
    readonly account: EscrowAccount | null;
  };
  /** The ledger has no history any more of how the escrow ended. */
  readonly lost: { readonly name: EscrowName; readonly signature: string };
  /** The account of an agent, as it was read. */
  readonly stake: { readonly stake: StoredStake };
  /** Time alone decided about a deal. */
  readonly lapse: Pick<DealRecord, 'conversation' | 'pair'>;
}

/** The most entries; an economy with more is not for one file. */
const MOST = 2_000_000;

/** Keeps what scores are made of, in the transactions that count it, so that anybody can count it again. */
export class EvidenceJournal {
  readonly #space: Space;
  #isOn: boolean;

  private constructor(space: Space, isOn: boolean) {
    this.#space = space;
    this.#isOn = isOn;
  }

  /** A journal that began after the first fact, or with a pause in it, is never complete. */
  static async open(space: Space, keep: boolean): Promise<EvidenceJournal> {
    const [state, known] = await Promise.all([space.get(evidenceStateRef), space.count(agents)]);
    const journal = new EvidenceJournal(space, keep);
    if (keep && !state)
      await journal.#say(known === 0 ? { complete: true } : { complete: false, reason: 'it was begun late' });
    if (!keep && state?.complete) await journal.#say({ complete: false, reason: 'it was switched off for a time' });
    return journal;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  note<K extends keyof EvidenceOf>(tx: Tx, kind: K, said: EvidenceOf[K]): void {
    if (!this.#isOn) return;
    // No bigint is in one, and a function that looks for some makes JSON slow.
    const text = kind === 'item' ? JSON.stringify(said) : textOf(said);
    tx.append(evidence, { kind, at: tx.now, text });
  }

  /** Ends it when there is no more room. */
  async bound(): Promise<void> {
    const [newest] = this.#isOn ? await this.#space.page(evidence, { limit: 1 }) : [];
    if (!newest || newest.id < MOST) return;
    this.#isOn = false;
    await this.#say({ complete: false, reason: `it ended at ${MOST} entries` });
  }

  async #say(state: EvidenceState): Promise<void> {
    await this.#space.put(evidenceStateRef, state);
  }
}

export const Evidence = internalToken<EvidenceJournal>('aggregator/evidence');

export function textOf(said: object): string {
  return JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? { $n: value.toString() } : value));
}

/** Reads a stored entry; throws for text that is none. */
export function saidIn<K extends keyof EvidenceOf>({ text }: Pick<StoredEvidence, 'text'>): EvidenceOf[K] {
  return JSON.parse(text, (_, value) =>
    typeof value === 'object' && value !== null && typeof value.$n === 'string' ? BigInt(value.$n) : value,
  );
}
