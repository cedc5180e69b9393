import type { Messages, Sent } from '../../messaging/messages.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Log } from '../../platform/log.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import { assignPayload } from './assignment.ts';

export interface AppointmentsOptions {
  readonly messages: Messages;
  readonly identity: Identity;
  readonly network: Network;
  readonly log: Log;
}

const MAX_REMEMBERED = 10_000;

/** Tells notaries, by NOTARIZE_ASSIGN, of the deals that name them. */
export class Appointments {
  readonly #options: AppointmentsOptions;
  readonly #told = new BoundedMap<string, true>(MAX_REMEMBERED);

  constructor(options: AppointmentsOptions) {
    this.#options = options;
  }

  /** The deal has to be accepted, and to name a notary. */
  assign(deal: Deal, operationId?: string): Promise<Sent> {
    const { messages, identity, network } = this.#options;
    const notary = lastOffer(deal).notary!;
    const draft = {
      msgType: 'NOTARIZE_ASSIGN',
      recipient: parseAgentId(notary)!,
      conversationId: parseConversationId(deal.conversation)!,
      body: codecOf('NOTARIZE_ASSIGN', network.version).encode(
        assignPayload(notary, { ...deal, accepted: deal.accepted!.id }),
        identity.key,
      ),
    } as const;
    return messages.send(draft, undefined, operationId);
  }

  /** Once the amount is locked: a notary that was never told would be silent, and its silence burns. */
  async locked(deal: Deal): Promise<void> {
    const { conversation, escrow } = deal;
    if (!escrow || escrow.outcome !== null || lastOffer(deal).notary === null || this.#told.get(conversation)) return;
    this.#told.set(conversation, true);
    try {
      await this.assign(deal, `appoint:${conversation}`);
    } catch (error) {
      this.#told.delete(conversation);
      this.#options.log.debug({ conversation, reason: String(error) }, 'a notary could not be told of its deal');
    }
  }
}
