import type {
  SentTransaction,
  SponsoredOutcome,
  SponsoredSent,
  TransactionOutcome,
} from '../../../core/ledger/ledger.ts';
import type { Notes } from '../notes.ts';

/** The ledger of a node said for certain that this did not happen, and never will. */
interface Denied {
  readonly name: string;
  readonly as: 'expired' | 'failed' | 'unpaid';
  readonly signature: string;
  /** Of a payment by x402, which the ledger knows by the signature of somebody else. */
  readonly memo?: string;
  readonly round: number;
  readonly moods: string;
}

/** The truth about transactions, by an RPC that is well. */
export interface Truth {
  landed(signature: string): Promise<boolean>;
  /** Whether a payment with that memo left the account of this party. */
  paid(name: string, memo: string): Promise<boolean>;
}

/** Remembers what nodes were told for certain by the RPCs that they ask, and holds it against the truth. */
export class Told {
  readonly #denied = new Map<string, Denied>();

  /** An answer of a ledger; `now` says when it came, and how the RPCs were. */
  hear(
    name: string,
    call: string,
    args: readonly unknown[],
    answer: unknown,
    now: Pick<Denied, 'round' | 'moods'>,
  ): void {
    if (call === 'sponsoredOutcome') {
      const { signature, memo } = args[1] as SponsoredSent;
      if ((answer as SponsoredOutcome).status === 'unpaid') this.#deny({ name, as: 'unpaid', signature, memo, ...now });
    }
    if (call !== 'submit' && call !== 'outcome') return;
    const { status } = answer as TransactionOutcome;
    const { signature } = args[0] as SentTransaction;
    if (status === 'expired' || status === 'failed') this.#deny({ name, as: status, signature, ...now });
  }

  async check(notes: Notes, truth: Truth): Promise<void> {
    for (const { name, as, signature, memo, round, moods } of this.#denied.values()) {
      const happened = memo === undefined ? truth.landed(signature) : truth.paid(name, memo);
      if (await happened)
        notes.violated(
          'outcomes',
          `${signature} is on the ledger, and ${name} was told in round ${round} that it is ${as} (${moods})`,
        );
    }
    notes.counts.set('outcomes denied', this.#denied.size);
  }

  #deny(denied: Denied): void {
    if (!this.#denied.has(denied.signature)) this.#denied.set(denied.signature, denied);
  }
}
