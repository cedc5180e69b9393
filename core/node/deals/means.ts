import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Action } from '../../protocol/deals/events.ts';

const NO_LEDGER = 'This node has no ledger: start it with --rpc-url.';
const NO_PROGRAM = 'The ledger of this node has no settlement program: set ledger.program and ledger.config.';
/** Steps that the settlement program takes. */
const ON_PROGRAM: ReadonlySet<string> = new Set<Action>([
  ...(['lock', 'approve', 'refund', 'reclaim', 'claim', 'split', 'raise', 'contest', 'decide'] as const),
]);

/** The node's means for the steps of a deal: `pay` needs a ledger, the steps of an escrow need its program. */
export class Means {
  readonly #ledger: Pick<Ledger, 'settlement'> | undefined;
  readonly #without: string;

  /** `without` says why there is no ledger. */
  constructor(ledger: Pick<Ledger, 'settlement'> | undefined, without = NO_LEDGER) {
    this.#ledger = ledger;
    this.#without = without;
  }

  /** Why this node cannot do what the deal would allow; undefined when it can. */
  lacks(action: string): string | undefined {
    if (action !== 'pay' && !ON_PROGRAM.has(action)) return undefined;
    if (!this.#ledger) return this.#without;
    return action === 'pay' || this.#ledger.settlement ? undefined : NO_PROGRAM;
  }

  possible<T extends string>(actions: readonly T[]): T[] {
    return actions.filter((action) => this.lacks(action) === undefined);
  }

  /** The result, or the refusal, which then names only what this node can do instead. */
  async within<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#narrowed(error);
    }
  }

  #narrowed(error: unknown): unknown {
    const allowed = isMeshError(error) ? error.details.extra?.['allowed_actions'] : undefined;
    if (!isMeshError(error) || !Array.isArray(allowed)) return error;
    const { details, code, message } = error;
    const extra = { ...details.extra, allowed_actions: this.possible(allowed) };
    return new MeshError(code, { ...details, detail: message, extra, cause: error });
  }
}
