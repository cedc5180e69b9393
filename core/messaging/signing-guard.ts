import { MeshError } from '../contracts/errors.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { equalBytes, toHex } from '../platform/bytes.ts';
import type { Log } from '../platform/log.ts';
import type { Health } from '../platform/node-state.ts';
import { epochOfNonce, seqOfNonce } from '../protocol/envelopes/epochs.ts';
import { envelopeId } from '../protocol/envelopes/header.ts';
import { decodeReceipt, verifyReceipt } from '../protocol/envelopes/receipt.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { EpochJournal } from './epoch-journal.ts';
import { KEPT_EPOCHS, type Taint } from './nonces.ts';
import type { SigningLock } from './signing-lock.ts';

export interface SigningGuardOptions {
  readonly journal: EpochJournal;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly halt: SigningLock;
  readonly log: Log;
  /** Milliseconds by which the hubs' clocks are ahead of ours; undefined when they are not known. */
  readonly clockOffset: () => number | undefined;
  /** Called for every envelope of our key that the journal does not hold. */
  readonly found: () => void;
}

/** The codes of a refusal to sign, which every route that signs an envelope may answer. */
export const SIGNING_ERRORS = ['clock_skewed', 'identity_in_use'] as const;

/** Milliseconds by which the clock may differ from the hubs': receivers refuse what is further in the future. */
export const MAX_SKEW = 30_000;
/** Receipts looked into at the same time; more are left to the next one who holds them. */
const MOST_AT_ONCE = 16;
const REMEMBERED = 1_000;

/**
 * Says whether the node may sign now. An envelope of our key that the journal does not hold (shown by a hub in its
 * welcome, by a recipient or an aggregator in its answer, or by a broadcast) proves that another process signs with the
 * key, or did: a copy of the data folder that was left running, or this node itself before it was restored from a
 * backup.
 */
export class SigningGuard {
  readonly #options: SigningGuardOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #settled = new BoundedMap<string, true>(REMEMBERED);
  #taints: readonly Taint[];

  private constructor(options: SigningGuardOptions, taints: readonly Taint[]) {
    this.#options = options;
    this.#taints = taints;
  }

  static async open(options: SigningGuardOptions): Promise<SigningGuard> {
    const guard = new SigningGuard(options, await options.journal.taints());
    for (const taint of guard.taints) options.log.warn({ epoch: taint.epoch, why: taint.why }, 'an epoch is tainted');
    return guard;
  }

  /** The tainted epochs that could still be batched if they were not. */
  get taints(): readonly Taint[] {
    const oldest = this.#options.journal.current - KEPT_EPOCHS;
    return this.#taints.filter(({ epoch }) => epoch >= oldest);
  }

  /**
   * Waits for what is being looked into, then throws `identity_in_use` or `clock_skewed` when nothing may be signed.
   */
  async permit(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#options.halt.check();
    const skew = this.#skew();
    if (skew !== undefined) throw new MeshError('clock_skewed', `${skew} Set it; signing goes on by itself.`);
  }

  /** Somebody holds this header and signature, said to be ours; `from` says who, in a sentence's first words. */
  foreignReceipt(receipt: Uint8Array, from: string): void {
    if (this.#underWay.size >= MOST_AT_ONCE) return;
    const work: Promise<void> = this.#look(receipt, from)
      .catch((error: unknown) => this.#options.log.error({ error }, 'an envelope of our key could not be looked into'))
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Stops signing: `remote` proved, or a hub of ours says, that another process lives under our key. */
  duplicateProcess(remote: string): void {
    this.#stop(`Another process was seen living under the key of this node, at or by way of ${remote}.`);
  }

  health(): Health {
    const { halt, journal } = this.#options;
    if (halt.why !== undefined) return { state: 'degraded', detail: `identity_in_use: ${halt.why}` };
    const skew = this.#skew();
    if (skew !== undefined) return { state: 'degraded', detail: `clock_skewed: ${skew}` };
    const taint = this.taints.at(-1);
    if (!taint) return { state: 'ok' };
    const now = taint.epoch >= journal.current ? 'is' : 'was';
    return { state: 'degraded', detail: `epoch ${taint.epoch} ${now} tainted and is never batched: ${taint.why}` };
  }

  #skew(): string | undefined {
    const offset = this.#options.clockOffset();
    if (offset === undefined || Math.abs(offset) <= MAX_SKEW) return undefined;
    const seconds = Math.round(Math.abs(offset) / 1_000);
    return `The clock of this machine is ${seconds} seconds ${offset > 0 ? 'behind' : 'ahead of'} its hubs.`;
  }

  async #look(bytes: Uint8Array, from: string): Promise<void> {
    const { journal, identity, network } = this.#options;
    const receipt = decodeReceipt(bytes);
    if (!receipt.ok || !equalBytes(receipt.value.sender, identity.key)) return;
    const { nonce } = receipt.value;
    const key = envelopeId(receipt.value);
    const id = toHex(key);
    const epoch = epochOfNonce(nonce);
    if (this.#settled.get(id) || epoch < journal.current - KEPT_EPOCHS) return;
    if (!(await journal.holds(nonce, key))) {
      if (!verifyReceipt(receipt.value, network)) return;
      await this.#alarm(epoch, seqOfNonce(nonce), id, from);
    }
    this.#settled.set(id, true);
  }

  async #alarm(epoch: number, seq: number, id: string, from: string): Promise<void> {
    const { journal, log, found } = this.#options;
    found();
    const why = `${from} holds envelope ${seq} of epoch ${epoch}, signed with the key of this node but not by it`;
    if (epoch > journal.current + 1) {
      this.#stop(`${why}, from an epoch to come.`);
      return;
    }
    const taint = await journal.taint(epoch, why, seq);
    this.#taints = await journal.taints();
    log.error(
      { epoch, seq, envelope_id: id, from },
      taint
        ? 'this key signs elsewhere, or its journal lost envelopes: the epoch is tainted and is never batched'
        : 'this key signs elsewhere, or its journal lost envelopes: the batch of a submitted epoch lacks one',
    );
    if (taint?.stopped) this.#stop(`${why}, and beyond all that it could have forgotten.`);
  }

  #stop(why: string): void {
    const { halt, log } = this.#options;
    if (halt.why === undefined) log.error({ why }, 'identity_in_use: this node signs nothing any more');
    halt.halt(why);
  }
}
