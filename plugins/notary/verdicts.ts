import { invalidField, type Log, MeshError, type SendPart } from '../../core/plugin.ts';
import type { EscrowAccounts, Judging, SentMessage, Space, VerdictWord } from '../../core/services.ts';
import { cases, type NotaryCase, type Verdict } from './case-records.ts';
import { caseOf, changeCase } from './case-store.ts';

export interface VerdictsOptions {
  readonly space: Space;
  readonly judging: Judging;
  readonly escrows: EscrowAccounts;
  readonly log: Log;
}

const RESUMED = 100;

/** Notes that a party was told, in the transaction that signs its VERDICT. */
export const verdictPart: SendPart<'VERDICT'> = {
  reads: ({ conversationId }) => [cases.ref(conversationId)],
  apply(tx, { conversationId, recipient, id }) {
    const ref = cases.ref(conversationId);
    const before = tx.get(ref);
    if (!before?.verdict || recipient === null) return;
    const { verdict } = before;
    tx.put(ref, { ...before, verdict: { ...verdict, sent: { ...verdict.sent, [recipient]: id } } });
  },
};

/**
 * Verdicts of this node as a notary: its word, which moves no money. The requester's node follows it, and once the
 * provider has contested a dispute the notary decides by it on the ledger (decisions.ts). A verdict is decided in the
 * store first; telling the parties follows, each noted when it is done, and what a crash leaves out is done later.
 */
export class Verdicts {
  readonly #options: VerdictsOptions;

  constructor(options: VerdictsOptions) {
    this.#options = options;
  }

  /** Decides and tells both parties; again with the same outcome goes on with what is left. */
  async give(conversation: string, { outcome, reason_hash }: VerdictWord): Promise<NotaryCase> {
    const { space, escrows } = this.#options;
    const found = await caseOf(space, conversation);
    if (!found.verdict) await this.#requireDelivery(found);
    const hash = reason_hash === undefined ? {} : { reason_hash };
    const escrow = escrows.missing ? 'none' : 'due';
    await changeCase(space, conversation, (before, now) => {
      if (before.verdict && before.verdict.outcome !== outcome)
        throw new MeshError('conflict', `Your verdict on this deal is ${before.verdict.outcome}; it stands.`);
      return { ...before, verdict: before.verdict ?? { outcome, ...hash, at: now, sent: {}, escrow } };
    });
    return this.#tellBoth(conversation);
  }

  /**
   * The same, asked for as the envelope to one party, which is the answer; undefined where this node is no notary. The
   * other party is told too.
   */
  async send(conversation: string, word: VerdictWord, party: string): Promise<SentMessage | undefined> {
    const found = await this.#options.space.get(cases.ref(conversation));
    if (!found) return undefined;
    if (party !== found.requester && party !== found.provider)
      throw invalidField('/recipient', 'is no party of the deal you are the notary of');
    const { verdict } = await this.give(conversation, word);
    return this.#tell(found, verdict!, party);
  }

  /** Goes on with verdicts that were decided and not told. */
  async resume(signal: AbortSignal): Promise<void> {
    const { space, log } = this.#options;
    for (const { id } of await space.page(cases, { index: 'untold', limit: RESUMED })) {
      if (signal.aborted) return;
      await this.#tellBoth(id).catch((error: unknown) =>
        log.warn({ conversation: id, reason: String(error) }, 'a verdict could not be sent'),
      );
    }
  }

  async #tellBoth(conversation: string): Promise<NotaryCase> {
    const { space } = this.#options;
    const found = await caseOf(space, conversation);
    const { requester, provider, verdict } = found;
    if (!verdict) return found;
    for (const party of [requester, provider]) if (!verdict.sent[party]) await this.#tell(found, verdict, party);
    return caseOf(space, conversation);
  }

  #tell(found: NotaryCase, { outcome, reason_hash }: Verdict, party: string): Promise<SentMessage> {
    const word = { outcome, ...(reason_hash !== undefined && { reason_hash }) };
    // The key of a party would make the id longer than the 64 characters that one has.
    const side = party === found.requester ? 'requester' : 'provider';
    return this.#options.judging.verdict(found, word, party, `verdict:${found.conversation}:${side}`);
  }

  /** A word about what was not delivered yet would bind the requester's node too early. */
  async #requireDelivery(found: NotaryCase): Promise<void> {
    const { escrows } = this.#options;
    if (escrows.missing) return;
    const [escrow] = (await escrows.get([found])).value;
    if (escrow?.state === 'locked')
      throw new MeshError(
        'invalid_transition',
        'The provider has not delivered on the ledger; there is nothing to judge.',
      );
    if (escrow?.state === 'contested')
      throw new MeshError('invalid_transition', {
        detail: 'The dispute is contested: decide it by POST /notarize/decide; a verdict comes before.',
        extra: { allowed_actions: ['decide'] },
      });
  }
}
