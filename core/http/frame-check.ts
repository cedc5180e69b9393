import type { Contracts } from '../contracts/contracts.ts';
import type { Contract } from '../contracts/typed.ts';
import { isSharedFrame } from './frame.ts';

/** Holds frames against their contracts, as a client would see them. */
export class FrameCheck {
  readonly #contracts: Contracts;
  readonly #checked = new WeakSet<object>();

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
  }

  /** Throws when a frame does not fit. One that is shared by many clients is looked at once. */
  check(contract: Contract, frame: unknown): void {
    const shared = isSharedFrame(frame);
    if (shared && this.#checked.has(frame)) return;
    for (const value of shared ? frame.values : [frame]) {
      const [problem] = this.#contracts.problems(contract, JSON.parse(JSON.stringify(value)));
      if (problem) throw new Error(`a frame breaks its contract: ${problem.pointer} ${problem.message}`);
    }
    if (shared) this.#checked.add(frame);
  }
}
