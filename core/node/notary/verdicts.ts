import { toHex } from '../../bytes.ts';
import { keccak256 } from '../../envelopes/keccak.ts';
import { codecOf } from '../../envelopes/payloads/codecs.ts';
import { MeshError } from '../../errors.ts';
import type { Identity } from '../../identity/identity.ts';
import { parseAgentId, parseConversationId } from '../../identity/ids.ts';
import type { Network } from '../../identity/network.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { EscrowName } from '../../ledger/settlement-steps.ts';
import type { Log } from '../../log.ts';
import type { Messages } from '../../messaging/messages.ts';
import type { Purpose } from '../../messaging/outgoing.ts';
import type { Space } from '../../storage/space.ts';
import { cases, isFinished, type NotaryCase, type Verdict } from './case-records.ts';

export interface VerdictsOptions {
  readonly space: Space;
  readonly messages: Messages;
  readonly identity: Identity;
  readonly network: Network;
  readonly settlement: Settlement | undefined;
  readonly steps: LedgerSteps | undefined;
  readonly log: Log;
}

const RESUMED = 100;

/**
 * Verdicts of this node as a notary. A verdict is decided in the store first; telling the parties and moving the escrow
 * follow, each noted when it is done, and what a crash leaves out is done later.
 */
export class Verdicts {
  readonly #options: VerdictsOptions;

  constructor(options: VerdictsOptions) {
    this.#options = options;
  }

  /** Decides and carries out; again with the same outcome goes on with what is left. */
  async give(conversation: string, outcome: Verdict['outcome'], reason: string | undefined, signal: AbortSignal) {
    const found = await this.#case(conversation);
    if (!found.verdict) await this.#requireDelivery(found);
    const hash = reason === undefined ? {} : { reason_hash: toHex(keccak256(Buffer.from(reason, 'utf8'))) };
    await this.#change(conversation, (before, now) => {
      if (before.verdict && before.verdict.outcome !== outcome)
        throw new MeshError('conflict', `Your verdict on this deal is ${before.verdict.outcome}; it stands.`);
      return { ...before, verdict: before.verdict ?? { outcome, ...hash, at: now, sent: {}, escrow: 'due' } };
    });
    return this.#carryOut(conversation, signal);
  }

  /** Goes on with verdicts that were decided and not carried out. */
  async resume(signal: AbortSignal): Promise<void> {
    const { space, log } = this.#options;
    for (const { id } of await space.page(cases, { index: 'due', limit: RESUMED })) {
      if (signal.aborted) return;
      await this.#carryOut(id, signal).catch((error: unknown) =>
        log.warn({ conversation: id, reason: String(error) }, 'a verdict could not be carried out'),
      );
    }
  }

  async #carryOut(conversation: string, signal: AbortSignal): Promise<NotaryCase> {
    const found = await this.#case(conversation);
    const { requester, provider } = found;
    if (!found.verdict || isFinished(found.verdict)) return found;
    for (const party of [requester, provider]) {
      if (!found.verdict.sent[party]) await this.#tell(found, found.verdict, party);
    }
    if (found.verdict.escrow === 'due') await this.#settle(found, found.verdict, signal);
    return this.#case(conversation);
  }

  async #tell({ conversation }: NotaryCase, { outcome, reason_hash }: Verdict, party: string): Promise<void> {
    const { messages, identity, network } = this.#options;
    const value = { outcome, ...(reason_hash !== undefined && { reason_hash }) };
    const draft = {
      msgType: 'VERDICT',
      recipient: parseAgentId(party)!,
      conversationId: parseConversationId(conversation)!,
      body: codecOf('VERDICT', network.version).encode(value, identity.key),
    } as const;
    const ref = cases.ref(conversation);
    const noted: Purpose = {
      reads: [ref],
      apply(tx, _, id) {
        const before = tx.get(ref)!;
        const verdict = before.verdict!;
        tx.put(ref, { ...before, verdict: { ...verdict, sent: { ...verdict.sent, [party]: id } } });
      },
    };
    await messages.send(draft, noted, `verdict:${conversation}:${party}`);
  }

  async #settle(found: NotaryCase, { outcome }: Verdict, signal: AbortSignal): Promise<void> {
    const { settlement, steps, identity } = this.#options;
    const name = nameOf(found);
    const ordered = await steps?.find(stepName(found));
    const escrow = await settlement?.escrow(name);
    if (!steps || (!escrow && !ordered)) return this.#settled(found, 'none');
    if (escrow && escrow.notary !== identity.address) return this.#settled(found, 'none');
    if (!escrow && ordered?.status !== 'confirmed' && ordered?.status !== 'recorded')
      return this.#settled(found, 'closed');
    const type = outcome === 'approve' ? 'approve' : 'refund';
    const { signature } = await steps.run(stepName(found), { type, ...name }, signal);
    await this.#settled(found, outcome === 'approve' ? 'released' : 'refunded', signature);
  }

  async #settled({ conversation }: NotaryCase, escrow: Verdict['escrow'], signature?: string): Promise<void> {
    await this.#change(conversation, (before) => {
      const verdict = { ...before.verdict!, escrow, ...(signature !== undefined && { signature }) };
      return { ...before, verdict };
    });
  }

  /** The ledger lets a notary decide only about what was delivered. */
  async #requireDelivery(found: NotaryCase): Promise<void> {
    const escrow = await this.#options.settlement?.escrow(nameOf(found));
    if (escrow?.state === 'locked')
      throw new MeshError(
        'invalid_transition',
        'The provider has not delivered on the ledger; there is nothing to judge.',
      );
  }

  async #case(conversation: string): Promise<NotaryCase> {
    const found = await this.#options.space.get(cases.ref(conversation));
    if (!found) throw new MeshError('not_found', `This node is not the notary of ${conversation}.`);
    return found;
  }

  async #change(conversation: string, change: (before: NotaryCase, now: number) => NotaryCase): Promise<void> {
    const ref = cases.ref(conversation);
    await this.#options.space.tx([ref], (tx) => {
      const before = tx.get(ref);
      if (before) tx.put(ref, change(before, tx.now));
    });
  }
}

function nameOf({ requester, provider, conversation }: NotaryCase): EscrowName {
  return { requester, provider, conversation };
}

function stepName({ requester, provider, conversation }: NotaryCase): string {
  return `verdict:${requester}:${provider}:${conversation}`;
}
