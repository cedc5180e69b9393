import type { Chain } from './chain.ts';
import { Faults } from './faults/faults.ts';
import type { RpcFaults } from './faults/plan.ts';
import type { Options } from './params.ts';
import { Reading } from './reading.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';

const COMMITMENTS = ['processed', 'confirmed', 'finalized', 'recent', 'single', 'singleGossip', 'root', 'max'] as const;
const FINAL: ReadonlySet<string> = new Set(['finalized', 'root', 'max']);

/** The status of a transaction that a node has seen in a block which the cluster then dropped. */
export interface Phantom {
  readonly slot: number;
  readonly until: number;
}

const MAX_PHANTOMS = 1_000;

/** One RPC node over the chain. It can be behind, and have forgotten, whatever others know. */
export class View {
  readonly chain: Chain;
  readonly faults = new Faults();
  readonly #phantoms = new Map<string, Phantom>();
  #finalised = 0;

  constructor(chain: Chain) {
    this.chain = chain;
  }

  /** The state that the node knows at the commitment asked for; refuses to answer from before `minContextSlot`. */
  read(method: string, options?: Options, commitmentMember = 'commitment'): Reading {
    const { chain, faults } = this;
    const asked = options?.oneOf(commitmentMember, COMMITMENTS, 'finalized') ?? 'finalized';
    const newest = chain.enter();
    const shown = FINAL.has(asked) ? this.finalised(newest.slot) : newest.slot;
    const known = shown - faults.lagOf(method);
    const slot = known === newest.slot ? known : Math.max(0, chain.past.from, known);
    const at = slot >= newest.slot ? undefined : chain.slots.at(slot);
    const reading = new Reading(this, method, at ?? newest, at !== undefined);
    const least = options?.has('minContextSlot') ? options.integer('minContextSlot', 0, Number.MAX_SAFE_INTEGER) : 0;
    if (least > reading.stamp.slot) {
      throw new RpcError(RPC_CODES.minContextSlot, 'Minimum context slot has not been reached', {
        contextSlot: reading.stamp.slot,
      });
    }
    return reading;
  }

  /** The newest finalised slot while `slot` is the newest. Nothing that was final is taken back when finality becomes slower. */
  finalised(slot: number): number {
    this.#finalised = Math.max(this.#finalised, slot - (this.faults.plan.finality ?? 0));
    return this.#finalised;
  }

  /** Shows a transaction as confirmed that never lands. */
  pretend(signature: string, slots: number): void {
    const { slot } = this.chain.slots.now();
    this.#phantoms.set(signature, { slot, until: slot + slots });
    if (this.#phantoms.size > MAX_PHANTOMS) this.#phantoms.delete(this.#phantoms.keys().next().value!);
  }

  phantom(signature: string): Phantom | undefined {
    const found = this.#phantoms.get(signature);
    return found && found.until > this.chain.slots.now().slot ? found : undefined;
  }
}

/** Gives every view its faults; those that are not named have none. */
export function play(views: readonly View[], { seed = 1, views: plans }: RpcFaults): void {
  for (const [index, { faults }] of views.entries()) {
    const { port: _, ...plan } = plans[index] ?? {};
    faults.set(plan, seed + index);
  }
}
