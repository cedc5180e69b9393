import type { TransactionInstruction } from '@solana/web3.js';
import type { Signer } from '../../../core/ledger/ledger.ts';
import { outcomeError } from '../../../core/ledger/refusal.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { Answer } from '../answers.ts';
import { JsonRpc } from '../json-rpc.ts';
import { rehearse } from '../rehearse.ts';
import { compileTransaction, readLifetime, signTransaction } from '../signed-transaction.ts';
import { Submission } from '../submission.ts';

/** Sends the transactions of a deployment, each until it is confirmed or certainly lost. */
export class DeploymentRpc {
  readonly rpc: JsonRpc;
  readonly #submission: Submission;
  readonly #signal: AbortSignal;
  /** The slot of the newest transaction that was confirmed. */
  slot = 0;

  constructor(url: string, clock: Clock, signal: AbortSignal) {
    this.rpc = new JsonRpc(url, clock);
    this.#submission = new Submission([this.rpc], clock, () => undefined);
    this.#signal = signal;
  }

  /** The first signer pays. Rejects with `ledger_unavailable` when it was not taken in time. */
  async send(instructions: readonly TransactionInstruction[], signers: readonly [Signer, ...Signer[]]): Promise<void> {
    const lifetime = await readLifetime(this.rpc);
    const transaction = compileTransaction(instructions, signers, lifetime);
    await rehearse(this.rpc, transaction);
    const prepared = signTransaction(transaction, signers, lifetime);
    const outcome = await this.#submission.submit(prepared, this.#signal);
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
    this.slot = Math.max(this.slot, outcome.slot);
  }

  async rent(bytes: number): Promise<number> {
    const rent = await this.rpc.call('getMinimumBalanceForRentExemption', [bytes], this.#signal);
    return new Answer(rent, 'getMinimumBalanceForRentExemption').integer();
  }

  /** Resolves when a slot has passed: a program cannot be called in the slot in which it was deployed. */
  async nextSlot(clock: Clock): Promise<void> {
    const slot = async () =>
      new Answer(await this.rpc.call('getSlot', [{ commitment: 'confirmed' }]), 'getSlot').integer();
    for (const from = await slot(); (await slot()) < from + 2; ) await clock.sleep(400, this.#signal);
  }

  close(): void {
    this.rpc.close();
  }
}
