import type { SchemaTypes } from '../../schemas/types.ts';
import type { Ledger, Signer } from '../ledger/ledger.ts';
import type { Settlement } from '../ledger/settlement.ts';
import type { SettlementStep } from '../ledger/settlement-steps.ts';
import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { LedgerSteps, StepEnd } from './ledger-steps.ts';

type RecordedStep = SchemaTypes['recorded-step'];

const DAY = 86_400_000;
/** By name. Forgotten when nobody can ask for the same effect any more. */
const steps = collection<RecordedStep>('ledger-steps', { schema: 'recorded-step', ttl: 60 * DAY });

export interface RecordedStepsOptions {
  readonly space: Space;
  readonly ledger: Ledger;
  readonly settlement: Settlement;
  readonly signer: Signer;
}

/** Records the signed transaction of a step before it is sent, so that after a crash the same one goes on. */
export class RecordedSteps implements LedgerSteps {
  readonly #options: RecordedStepsOptions;
  readonly #running = new Map<string, Promise<StepEnd>>();

  constructor(options: RecordedStepsOptions) {
    this.#options = options;
  }

  run(name: string, step: SettlementStep, signal?: AbortSignal): Promise<StepEnd> {
    const running = this.#running.get(name);
    if (running) return running;
    const work = this.#run(name, step, signal).finally(() => this.#running.delete(name));
    this.#running.set(name, work);
    return work;
  }

  async #run(name: string, step: SettlementStep, signal?: AbortSignal): Promise<StepEnd> {
    const { space, ledger } = this.#options;
    const known = await space.get(steps.ref(name));
    if (known?.status === 'confirmed') return { status: 'confirmed', slot: known.slot!, signature: known.signature };
    const recorded = known?.status === 'recorded' ? known : await this.#record(name, step);
    const { signature } = recorded;
    const outcome = await ledger.submit(recorded, signal);
    if (outcome.status === 'confirmed') {
      await space.put(steps.ref(name), { ...recorded, status: 'confirmed', slot: outcome.slot });
    } else if (outcome.status !== 'pending') {
      await space.put(steps.ref(name), { ...recorded, status: 'failed' });
    }
    return { ...outcome, signature };
  }

  async #record(name: string, step: SettlementStep): Promise<RecordedStep> {
    const { space, settlement, signer } = this.#options;
    const { signature, bytes, lastValidBlockHeight } = await settlement.prepare(step, [signer]);
    const fresh: RecordedStep = { signature, bytes, lastValidBlockHeight, status: 'recorded' };
    const ref = steps.ref(name);
    const { value } = await space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (known && known.status !== 'failed') return known;
      tx.put(ref, fresh);
      return fresh;
    });
    return value;
  }
}
