import type { Settings } from '../internal-services.ts';
import type { Inbound } from '../messaging/inbound.ts';
import type { Inbox } from '../messaging/inbox.ts';
import { letters, STRANGERS_LETTERS } from '../messaging/inbox-records.ts';
import {
  type Admitted,
  STRANGER_LIMITS,
  type StrangerBound,
  type StrangerLimits,
  StrangerShare,
  type Strangers,
} from '../messaging/strangers.ts';
import { networkOf } from '../platform/addresses.ts';
import { fromBase64 } from '../platform/bytes.ts';
import type { Clock } from '../platform/clock.ts';
import { lookAtEnvelope } from '../protocol/envelopes/codec.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { Space } from '../storage/space.ts';
import { deals, isOpenOffer, isPartner } from './deals/deal-document.ts';

export function strangerLimits({ mesh }: Settings): StrangerLimits {
  const { strangerOffers = STRANGER_LIMITS.offers, strangerInboxMiB } = mesh;
  return { offers: strangerOffers, inboxBytes: strangerInboxMiB ? strangerInboxMiB * MIB : STRANGER_LIMITS.inboxBytes };
}

export interface NodeStrangersOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly limits: StrangerLimits;
  /** The bounds of all hosted agents together, and how names in them begin. */
  readonly within?: { readonly offers: StrangerShare; readonly letters: StrangerShare; readonly prefix: string };
  /** A stranger met a bound. */
  readonly refused: (bound: StrangerBound) => void;
}

const MIB = 1024 * 1024;
const PAGE = 200;
/** Milliseconds between two looks at which offers are still open. */
const LOOK = 1_000;

/**
 * Keeps what strangers can cause apart from what the owner does: open offers and waiting letters of keys without
 * business with this node are bounded by key, by address and in all. A key has business here when this node made it an
 * offer, or when a deal with it has moved money.
 */
export class NodeStrangers implements Strangers {
  readonly #options: NodeStrangersOptions;
  readonly #offers: StrangerShare;
  readonly #letters: StrangerShare;
  /** The inbox's ids of the letters of `#letters`, once it has them, in their order. */
  readonly #waiting: { cursor: number; name: string }[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  private constructor(options: NodeStrangersOptions) {
    this.#options = options;
    const { limits, within } = options;
    this.#offers = new StrangerShare(limits.offers, within && { share: within.offers, prefix: within.prefix });
    this.#letters = new StrangerShare(limits.inboxBytes, within && { share: within.letters, prefix: within.prefix });
  }

  static async open(options: NodeStrangersOptions): Promise<NodeStrangers> {
    const strangers = new NodeStrangers(options);
    await strangers.#countOffers();
    await strangers.#countLetters();
    return strangers;
  }

  /** Whether anything of theirs waits here. */
  get hold(): boolean {
    this.#forget();
    return this.#offers.names.length > 0 || this.#letters.names.length > 0;
  }

  async admit(message: Inbound, bytes: number, remote: string): Promise<Admitted> {
    const { space, refused } = this.#options;
    const { sender: key, id, conversationId, payload } = message;
    if (await isPartner(space, key)) return {};
    const network = networkOf(remote);
    this.#forget();
    const letter = { key, network, amount: bytes };
    const full = this.#letters.problem(letter);
    if (full) {
      refused('inbox');
      return { refused: `the inbox keeps no more letters of ${full}` };
    }
    // Taken before anything is waited for, so that those who come at once do not all find the last place.
    this.#letters.take(id, letter);
    const first = payload.msgType === 'PROPOSE' && !(await space.get(deals.ref(conversationId)));
    const problem = first ? await this.#takeOffer(conversationId, { key, network, amount: 1 }) : undefined;
    if (problem) {
      this.#letters.free(id);
      refused('offers');
      return { refused: `no more offers of ${problem} may wait for an answer` };
    }
    return {
      stranger: network,
      settle: (cursor) => {
        if (cursor !== undefined) return void this.#waiting.push({ cursor, name: id });
        this.#letters.free(id);
        if (first) this.#offers.free(conversationId);
      },
    };
  }

  async #takeOffer(conversation: string, offer: { key: string; network: string; amount: number }) {
    if (this.#offers.problem(offer)) await this.#look();
    const problem = this.#offers.problem(offer);
    if (!problem) this.#offers.take(conversation, offer);
    return problem;
  }

  /** Which offers still wait is looked at when their number matters, and then not too often. */
  async #look(): Promise<void> {
    const { space, clock } = this.#options;
    if (clock.now() - this.#lookedAt < LOOK) return;
    this.#lookedAt = clock.now();
    const names = this.#offers.names;
    const documents = await space.getMany(names.map((name) => deals.ref(name)));
    for (const [index, name] of names.entries()) {
      const document = documents[index];
      // One that is not there yet is about to be written.
      if (document && !isOpenOffer(document.deal)) this.#offers.free(name);
    }
  }

  #forget(): void {
    const { done } = this.#options.inbox;
    let count = 0;
    for (const { cursor, name } of this.#waiting) {
      if (cursor > done) break;
      this.#letters.free(name);
      count += 1;
    }
    if (count > 0) this.#waiting.splice(0, count);
  }

  async #countOffers(): Promise<void> {
    let after: { key: string; id: string } | undefined;
    do {
      const rows = await this.#options.space.page(deals, { index: 'stranger', limit: PAGE, ...(after && { after }) });
      for (const { id, value } of rows) {
        this.#offers.take(id, { key: value.deal.offers[0]!.by, network: value.stranger!, amount: 1 });
      }
      after = rows.length === PAGE ? rows.at(-1) : undefined;
    } while (after);
  }

  async #countLetters(): Promise<void> {
    let after = 0;
    for (let more = true; more; ) {
      const rows = await this.#options.space.page(letters, { after, limit: PAGE, posting: STRANGERS_LETTERS });
      for (const { record } of rows) {
        const bytes = fromBase64(record.bytes)!;
        const envelope = lookAtEnvelope(bytes);
        if (!envelope.ok) continue;
        const key = formatAgentId(envelope.value.sender);
        this.#letters.take(record.envelope_id, { key, network: record.stranger!, amount: bytes.length });
        this.#waiting.push({ cursor: record.cursor, name: record.envelope_id });
      }
      more = rows.length === PAGE;
      after = rows.at(-1)?.id ?? after;
    }
  }
}
