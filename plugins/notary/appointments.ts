import { Alarm, BoundedMap, type Log, MeshError } from '../../core/plugin.ts';
import type { Clock, Deals, DealView, Messages, SentMessage } from '../../core/services.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { assignPayload } from './assignment.ts';

export interface AppointmentsOptions {
  readonly deals: Deals;
  readonly messages: Messages;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_REMEMBERED = 10_000;
const PAGE = 200;
/** Those that are tried again in one run. */
const AGAIN = 100;
/** A locked deal that has not ended is in one of these states. */
const LOCKED = ['accepted', 'delivered', 'disputed'] as const;

/** Tells notaries, by NOTARIZE_ASSIGN, of the deals that name them. */
export class Appointments {
  readonly #options: AppointmentsOptions;
  readonly #told = new BoundedMap<string, true>(MAX_REMEMBERED);
  /** Those that could not be told. A restart finds the others again. */
  readonly #waiting = new Set<string>();
  readonly #alarm: Alarm;
  #hasLookedBack = false;

  constructor(options: AppointmentsOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  /** Follows the deals from now on. The returned function ends it. */
  follow(): () => void {
    return this.#options.deals.follow((deal) => this.#locked(deal));
  }

  /** Resolves while one waits to be told. */
  due(signal: AbortSignal): Promise<void> {
    return this.#alarm.until(this.#waiting.size > 0 ? 0 : Number.POSITIVE_INFINITY, signal);
  }

  /** Looks once at the deals of before, then tries again what failed. */
  async run(stop: AbortSignal): Promise<void> {
    if (!this.#hasLookedBack) for (const state of LOCKED) await this.#lookBack(state, stop);
    this.#hasLookedBack = !stop.aborted;
    for (const conversation of [...this.#waiting].slice(0, AGAIN)) {
      if (stop.aborted) return;
      this.#waiting.delete(conversation);
      await this.#locked(await this.#options.deals.get(conversation));
    }
  }

  async #lookBack(state: (typeof LOCKED)[number], stop: AbortSignal): Promise<void> {
    let before: string | null | undefined;
    do {
      const page = await this.#options.deals.page({ state, limit: PAGE, ...(before && { before }) });
      for (const deal of page.deals) if (!stop.aborted) await this.#locked(deal);
      before = page.next;
    } while (before && !stop.aborted);
  }

  /** The deal has to be accepted, and to name a notary. */
  async assign(deal: DealView, operationId?: string): Promise<SentMessage> {
    const { conversation_id: conversationId, notary, history } = deal;
    const accepted = history.findLast(({ event }) => event === 'accept')?.envelope_id;
    if (notary === null || accepted === undefined)
      throw new MeshError(
        'invalid_transition',
        'Only the notary of an accepted deal can be assigned; this deal has none.',
      );
    const payload = assignPayload(notary, { ...deal, accepted });
    return this.#options.messages.send('NOTARIZE_ASSIGN', payload, { recipient: notary, conversationId, operationId });
  }

  /** Once the amount is locked: a notary that was never told would be silent, and its silence burns. */
  async #locked(deal: DealView): Promise<void> {
    const { conversation_id: conversation, notary, escrow } = deal;
    if (!escrow.locked_at || escrow.outcome || notary === null || this.#told.get(conversation)) return;
    this.#told.set(conversation, true);
    try {
      await this.assign(deal, `appoint:${conversation}`);
    } catch (error) {
      this.#told.delete(conversation);
      if (this.#waiting.size < MAX_REMEMBERED) this.#waiting.add(conversation);
      this.#alarm.ring();
      this.#options.log.debug({ conversation, reason: String(error) }, 'a notary could not be told of its deal');
    }
  }
}

/** The answer to a call that sent a message. */
export function sentOf({ id, conversationId, nonce, payloadHash, status }: SentMessage): SchemaTypes['sent'] {
  return { envelope_id: id, conversation_id: conversationId, nonce, payload_hash: payloadHash, status };
}
