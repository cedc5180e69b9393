import { ClientError } from '../../../client/client-error.ts';
import type { NodeClient } from '../../../client/node-client.ts';
import { shownUsdc } from '../../../platform/usdc.ts';
import type { Deal } from '../deal-watch.ts';
import type { AgentInbox } from '../inbox.ts';
import { parseTask, textOf } from '../task.ts';
import { textStatistics } from '../text-statistics.ts';
import type { Voice } from '../voice.ts';
import type { Character } from './character.ts';
import { isErrand } from './errands.ts';
import type { Person } from './people.ts';

export interface TownspersonOptions {
  readonly person: Person;
  readonly node: NodeClient;
  readonly inbox: AgentInbox;
  readonly character: Character;
  readonly voice: Voice;
  /** The name of an agent of the town. */
  readonly nameOf: (agentId: string) => string;
  /** Called when a deal is paid for and rated by whoever paid. */
  readonly settled: (deal: Deal) => void;
}

/** Newest deals that it looks at; an agent of the town has few open at a time. */
const LOOKED_AT = 50;
/** Rated by both once a deal has come to one of them. */
const ENDS: ReadonlySet<string> = new Set(['settled', 'refunded', 'split', 'decided']);
const OPEN: ReadonlySet<string> = new Set(['proposed', 'countered', 'accepted', 'delivered', 'disputed', 'contested']);
const HALF = 'Half of it. The rest could not be read.';

/**
 * An agent of the town. It keeps no state: at every look it does what the deals of its node wait for. As a provider it answers
 * whoever asks; as a requester it goes on with errands of the town alone, so that what a person offers from its console
 * stays that person's.
 */
export class Townsperson {
  readonly #options: TownspersonOptions;
  /** Ended deals in which nothing is left to do. */
  #over = new Set<string>();

  constructor(options: TownspersonOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { node, inbox, voice } = this.#options;
    const { deals } = await node.deals({ limit: LOOKED_AT });
    for (const deal of deals) {
      if (this.#over.has(deal.conversation_id)) continue;
      await this.#attend(deal).catch((error: unknown) => voice.stumble(error, deal));
    }
    const shown = new Set(deals.map(({ conversation_id: id }) => id));
    this.#over = new Set([...this.#over].filter((id) => shown.has(id)));
    await inbox.acknowledge((conversation) => this.#isOver(conversation));
  }

  /** Whether its letters may go: those of a person's own deals stay, for that person to read. */
  async #isOver(conversation: string): Promise<boolean> {
    try {
      const { state, role, message = '' } = await this.#options.node.deal(conversation);
      return (role === 'provider' || isErrand(message)) && !OPEN.has(state);
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return true;
      throw error;
    }
  }

  async #attend(deal: Deal): Promise<void> {
    if (deal.role === 'provider') return this.#provide(deal);
    if (deal.role === 'notary') return this.#decide(deal);
    if (isErrand(deal.message ?? '')) return this.#require(deal);
  }

  async #provide(deal: Deal): Promise<void> {
    const { node, character, person } = this.#options;
    const { conversation_id, state, message = '' } = deal;
    if (person.capabilities.length === 0) return;
    if (state === 'proposed' && may(deal, 'accept')) {
      return this.#answer(deal).catch((error: unknown) => this.#declineUnbound(deal, error));
    }
    if (state === 'accepted' && may(deal, 'deliver') && isSecured(deal)) return this.#deliver(deal);
    if (state === 'disputed' && deal.escrow.disputed_at) {
      if (character.contests(message) && may(deal, 'contest')) {
        await node.contest({ conversation_id, max_bps: deal.escrow.offer_bps ?? 9_999 });
        return this.#say('contest', 'stands by its work', deal);
      }
      if (may(deal, 'refund')) {
        await node.escrow('refund', { conversation_id });
        return this.#say('refund', `gives ${shownUsdc(deal.amount_usdc)} USDC back`, deal);
      }
    }
    await this.#rate(deal);
  }

  async #answer(deal: Deal): Promise<void> {
    const { node, character } = this.#options;
    const { conversation_id, message = '', amount_usdc } = deal;
    const answer = character.answer(message, Number(amount_usdc));
    if (answer === 'reject') {
      await node.reject({ conversation_id, reason: 'Not this week.' });
      return this.#say('reject', 'declines', deal);
    }
    if (answer === 'accept' || !may(deal, 'counter')) {
      await node.accept({ conversation_id });
      const price = Number(amount_usdc) === 0 ? 'does it as a favour' : `accepts ${shownUsdc(amount_usdc)} USDC`;
      return this.#say('accept', price, deal);
    }
    const amount = answer.counter.toFixed(2);
    await node.counter({ conversation_id, amount_usdc: amount, message: 'It takes longer than that.' });
    return this.#say('counter', `asks for ${amount} USDC`, deal);
  }

  /** After disputes a node binds itself to less with that requester; the offer would wait for an answer until it lapses. */
  async #declineUnbound({ conversation_id }: Deal, error: unknown): Promise<void> {
    const { node } = this.#options;
    if (!(error instanceof ClientError && error.code === 'invalid_transition')) throw error;
    const now = await node.deal(conversation_id);
    if (now.state !== 'proposed' || !may(now, 'reject')) throw error;
    await node.reject({ conversation_id, reason: 'That is more than our history carries.' });
    return this.#say('reject', 'declines: too much after what went wrong between them', now);
  }

  async #deliver(deal: Deal): Promise<void> {
    const { node, character, person } = this.#options;
    const { conversation_id, message = '' } = deal;
    const isSloppy = isErrand(message) && character.isSloppy(message);
    const content = isSloppy ? HALF : await workOf(person, message);
    await node.deliver({ conversation_id, content_type: 'text/plain; charset=utf-8', content });
    return this.#say('deliver', 'delivers', deal);
  }

  async #require(deal: Deal): Promise<void> {
    const { node, character } = this.#options;
    const { conversation_id, message = '', state, amount_usdc } = deal;
    if (state === 'countered' && may(deal, 'accept')) {
      if (character.takesPrice(message, Number(amount_usdc))) {
        await node.accept({ conversation_id });
        return this.#say('accept', `agrees to ${shownUsdc(amount_usdc)} USDC`, deal);
      }
      await node.reject({ conversation_id, reason: 'Too dear.' });
      return this.#say('reject', 'finds that too dear', deal);
    }
    if (state === 'accepted' && may(deal, 'lock')) {
      await node.lock(conversation_id);
      return this.#say('lock', `locks ${shownUsdc(amount_usdc)} USDC`, deal);
    }
    if (state === 'delivered') return this.#review(deal);
    await this.#rate(deal);
  }

  async #review(deal: Deal): Promise<void> {
    const { node, inbox } = this.#options;
    const { conversation_id, amount_usdc } = deal;
    const content = inbox.delivery(conversation_id);
    if (content === undefined || !deal.escrow.delivered_at) return;
    if (content === HALF && may(deal, 'dispute')) {
      await node.api.negotiation.dispute({ conversation_id, reason: 'Half of it is missing.', offer_bps: 4_000 });
      return this.#say('dispute', 'disputes the delivery and offers 40 % for it', deal);
    }
    if (!may(deal, 'approve')) return;
    await node.escrow('approve', { conversation_id });
    return this.#say('approve', `releases ${shownUsdc(amount_usdc)} USDC`, deal);
  }

  async #decide(deal: Deal): Promise<void> {
    const { node, character } = this.#options;
    const { conversation_id, message = '' } = deal;
    if (!may(deal, 'decide')) return;
    const isFor = character.isForProvider(message);
    await node.decide({ conversation_id, for_provider: isFor });
    return this.#say('decide', `decides for the ${isFor ? 'provider' : 'requester'}`, deal);
  }

  async #rate(deal: Deal): Promise<void> {
    const { node, character, settled } = this.#options;
    const { conversation_id, message = '', role, state } = deal;
    if (!ENDS.has(state) || !may(deal, 'feedback')) return;
    const score = character.rates(message, deal.escrow.disputed_at !== undefined && role === 'requester');
    await node.feedback({ conversation_id, score });
    this.#over.add(conversation_id);
    await this.#say('rate', `rates ${score > 0 ? '+' : '\u2212'}${Math.abs(score)}`, deal);
    if (role === 'requester') settled(deal);
  }

  async #say(step: Parameters<Voice['say']>[0], text: string, deal: Deal): Promise<void> {
    const { voice, nameOf } = this.#options;
    const now = await this.#options.node.deal(deal.conversation_id);
    voice.say(step, `${text} \u00b7 with ${nameOf(deal.counterparty)}`, now);
  }
}

function may({ allowed_actions: allowed }: Deal, action: string): boolean {
  return allowed.includes(action);
}

/** It works once the money is locked where a lock was agreed. */
function isSecured({ escrow }: Deal): boolean {
  return !escrow.agreed || escrow.locked_at !== undefined;
}

/** The word-counter counts; the others say which work this would be, because their trades are played. */
async function workOf({ name, capabilities }: Person, message: string): Promise<string> {
  const task = parseTask(message);
  if (task && capabilities.includes(task.task)) return JSON.stringify(textStatistics(await textOf(task)));
  return `${name} (${capabilities[0]}) has done this: ${message}`;
}
