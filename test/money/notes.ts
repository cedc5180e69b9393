/** What the actors of a play have done and were told, deal by deal: what a violation is shown with. */
export class Notes {
  round = 0;
  readonly deals = new Map<string, DealNote>();
  readonly stakes: StakeNote[] = [];
  /** Calls to pay a lease some epochs ahead. */
  readonly leases: LeaseNote[] = [];
  readonly violations: Violation[] = [];
  /** How often what happened. */
  readonly counts = new Map<string, number>();
  readonly #told = new Set<string>();
  readonly #onViolation: (violation: Violation) => void;

  constructor(onViolation: (violation: Violation) => void = () => {}) {
    this.#onViolation = onViolation;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  deal(conversation: string): DealNote {
    const known = this.deals.get(conversation);
    if (known) return known;
    const note: DealNote = { conversation, lines: [], done: new Map() };
    this.deals.set(conversation, note);
    return note;
  }

  line(conversation: string | undefined, text: string): void {
    if (conversation !== undefined) this.deal(conversation).lines.push(`round ${this.round}: ${text}`);
  }

  isKnown(rule: Rule, what: string, conversation = ''): boolean {
    return this.#told.has(`${rule} ${conversation} ${what}`);
  }

  /** Says it once. */
  violated(rule: Rule, what: string, conversation?: string): void {
    const key = `${rule} ${conversation ?? ''} ${what}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const history = conversation === undefined ? [] : [...this.deal(conversation).lines];
    const violation: Violation = { rule, round: this.round, what, ...(conversation && { conversation }), history };
    this.violations.push(violation);
    this.#onViolation(violation);
  }
}

export interface DealNote {
  readonly conversation: string;
  readonly lines: string[];
  /** Steps that a node acknowledged, by name: in which round. */
  readonly done: Map<string, number>;
}

export interface StakeNote {
  readonly who: string;
  /** In minor units; no other call of this node asks for exactly as much. */
  readonly amount: bigint;
  readonly key: string;
  /** What its node answered, call by call. */
  readonly lines: string[];
  /** The first acknowledgement; a later one repeats it. */
  acknowledged: 'surely' | 'in doubt' | undefined;
}

export interface LeaseNote {
  readonly who: string;
  /** Paid through this epoch at most. */
  readonly through: number;
}

export type Rule =
  | 'books'
  | 'explained'
  | 'paid-once'
  | 'lease-once'
  | 'stake-once'
  | 'honest-slashed'
  | 'undelivered-claimed'
  | 'caps'
  | 'acknowledged'
  | 'outcomes'
  | 'settled'
  | 'records'
  | 'answers';

export interface Violation {
  readonly rule: Rule;
  readonly round: number;
  readonly what: string;
  readonly conversation?: string;
  readonly history: readonly string[];
}
