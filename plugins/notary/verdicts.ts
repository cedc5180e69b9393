import { invalidField, type Log, MeshError, type SendPart } from '../../core/plugin.ts';
import type { EscrowAccounts, Judging, SentMessage, Space, VerdictWord } from '../../core/services.ts';
import { cases, idOf, judgedParties, judgedRef, type NotaryCase, type Verdict } from './case-records.ts';
import { type Asked, caseAgain, caseOf, changeCase } from './case-store.ts';

export interface VerdictsOptions {
  readonly space: Space;
  readonly judging: Judging;
  readonly escrows: EscrowAccounts;
  readonly log: Log;
}

const RESUMED = 100;

/** Notes that a party was told, in the transaction that signs its VERDICT. */
export const verdictPart: SendPart<'VERDICT'> = {
  reads: ({ conversationId, recipient }) => (recipient === null ? [] : [judgedRef(conversationId, recipient)]),
  apply(tx, { conversationId, recipient, id }) {
    if (recipient === null) return;
    const judgedIn = tx.get(judgedRef(conversationId, recipient));
    const ref = cases.ref(judgedIn?.case_id ?? conversationId);
    const [before] = tx.pull([ref]);
    if (before?.verdict) tx.put(ref, withSent(before, recipient, id));
  },
};

function withSent(found: NotaryCase, party: string, id: string): NotaryCase {
  const { verdict } = found;
  return verdict ? { ...found, verdict: { ...verdict, sent: { ...verdict.sent, [party]: id } } } : found;
}

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
  async give(asked: Asked, word: VerdictWord): Promise<NotaryCase> {
    return this.#give(await caseOf(this.#options.space, asked), word);
  }

  async #give(found: NotaryCase, { outcome, reason_hash }: VerdictWord): Promise<NotaryCase> {
    const { space, escrows } = this.#options;
    if (!found.verdict) await this.#requireDelivery(found);
    const hash = reason_hash === undefined ? {} : { reason_hash };
    const escrow = escrows.missing ? 'none' : 'due';
    const { conversation, requester, provider } = found;
    const parts = [requester, provider].map((party) => judgedRef(conversation, party));
    await space.tx([], (tx) => {
      for (const ref of parts) tx.put(ref, { case_id: idOf(found) });
      for (const party of [requester, provider]) tx.put(judgedParties.ref(party), true);
    });
    await changeCase(space, found, (before, now) => {
      if (before.verdict && before.verdict.outcome !== outcome)
        throw new MeshError('conflict', `Your verdict on this deal is ${before.verdict.outcome}; it stands.`);
      return { ...before, verdict: before.verdict ?? { outcome, ...hash, at: now, sent: {}, escrow } };
    });
    return this.#tellBoth(found);
  }

  /**
   * The same, asked for as the envelope to one party, which is the answer; undefined where this node is no notary. The
   * other party is told too.
   */
  async send(conversation: string, word: VerdictWord, party: string): Promise<SentMessage | undefined> {
    const { space } = this.#options;
    const [one] = await space.page(cases, { idPrefix: conversation, limit: 1 });
    if (!one) return undefined;
    const found = await caseOf(space, { conversation, party }).catch((error: unknown) => {
      if (!(error instanceof MeshError) || error.code !== 'not_found') throw error;
      throw invalidField('/recipient', 'is no party of the deal you are the notary of');
    });
    const { verdict } = await this.#give(found, word);
    return this.#tell(found, verdict!, party);
  }

  /** Goes on with verdicts that were decided and not told. */
  async resume(signal: AbortSignal): Promise<number> {
    const { space, log } = this.#options;
    const untold = await space.page(cases, { index: 'untold', limit: RESUMED });
    for (const { id, value } of untold) {
      if (signal.aborted) return 0;
      await this.#tellBoth(value).catch((error: unknown) =>
        log.warn({ case_id: id, reason: String(error) }, 'a verdict could not be sent'),
      );
    }
    return untold.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  async #tellBoth(of: NotaryCase): Promise<NotaryCase> {
    const { space } = this.#options;
    const found = await caseAgain(space, of);
    const { requester, provider, verdict } = found;
    if (!verdict) return found;
    for (const party of [requester, provider]) if (!verdict.sent[party]) await this.#tell(found, verdict, party);
    return caseAgain(space, found);
  }

  async #tell(found: NotaryCase, { outcome, reason_hash }: Verdict, party: string): Promise<SentMessage> {
    const { space, judging } = this.#options;
    const word = { outcome, ...(reason_hash !== undefined && { reason_hash }) };
    const sent = await judging.verdict(found, word, party, operationOf(found, party));
    // It was noted with the case in which this party was judged last, where there are two.
    await changeCase(space, found, (before) =>
      before.verdict?.sent[party] ? before : withSent(before, party, sent.id),
    );
    return sent;
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

/** At most 64 characters; cases of before have no id of their own. */
function operationOf(found: NotaryCase, party: string): string {
  const { conversation, requester, case_id } = found;
  const side = party === requester ? 'requester' : 'provider';
  const digits = case_id === undefined || case_id === conversation ? '' : `:${case_id.slice(-8)}`;
  return `verdict:${conversation}:${side}${digits}`;
}
