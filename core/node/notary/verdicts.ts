import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { Messages, Sent } from '../../messaging/messages.ts';
import type { SendHook } from '../../messaging/outgoing.ts';
import type { Log } from '../../platform/log.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import type { Space } from '../../storage/space.ts';
import { publicPart } from '../deals/public-part.ts';
import { cases, type NotaryCase, type Verdict } from './case-records.ts';
import { caseOf, changeCase } from './case-store.ts';

export interface VerdictsOptions {
  readonly space: Space;
  readonly messages: Messages;
  readonly identity: Identity;
  readonly network: Network;
  readonly settlement: Settlement | undefined;
  readonly log: Log;
}

/** A notary's word on a delivery, as its VERDICT carries it. */
export type Word = Pick<Verdict, 'outcome' | 'reason_hash'>;

const RESUMED = 100;

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
  async give(conversation: string, { outcome, reason_hash }: Word): Promise<NotaryCase> {
    const { space, settlement } = this.#options;
    const found = await caseOf(space, conversation);
    if (!found.verdict) await this.#requireDelivery(found);
    const hash = reason_hash === undefined ? {} : { reason_hash };
    const escrow = settlement ? 'due' : 'none';
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
  async send(conversation: string, word: Word, party: string): Promise<Sent | undefined> {
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

  async #tell(
    { conversation, requester, accepted }: NotaryCase,
    { outcome, reason_hash }: Verdict,
    party: string,
  ): Promise<Sent> {
    const { messages, identity, network } = this.#options;
    const value = { outcome, ...(reason_hash !== undefined && { reason_hash }) };
    const draft = {
      msgType: 'VERDICT',
      recipient: parseAgentId(party)!,
      conversationId: parseConversationId(conversation)!,
      body: codecOf('VERDICT', network.version).encode(value, identity.key),
      publicPart: () => publicPart(requester, accepted),
    } as const;
    const ref = cases.ref(conversation);
    const noted: SendHook = {
      reads: [ref],
      apply(tx, _, id) {
        const before = tx.get(ref)!;
        const verdict = before.verdict!;
        tx.put(ref, { ...before, verdict: { ...verdict, sent: { ...verdict.sent, [party]: id } } });
      },
    };
    return messages.send(draft, noted, `verdict:${conversation}:${party}`);
  }

  /** A word about what was not delivered yet would bind the requester's node too early. */
  async #requireDelivery({ requester, provider, conversation }: NotaryCase): Promise<void> {
    const escrow = await this.#options.settlement?.escrow({ requester, provider, conversation });
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
