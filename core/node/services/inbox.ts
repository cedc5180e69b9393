<<<<<<< HEAD
import type { SchemaTypes } from '../../../schemas/types.ts';
import { conversationPosting, inbox } from '../../messaging/records.ts';
=======
import type { Dispatcher } from '../../messaging/dispatcher.ts';
import type { Inbox } from '../../messaging/inbox.ts';
>>>>>>> nodetests
import { token } from '../../plugin.ts';

/** The durable inbox: every record stays until the agent acknowledges it. */
export type InboxService = Inbox;
export const InboxService = token<InboxService>('inbox');

<<<<<<< HEAD
  constructor(space: Space) {
    this.#space = space;
  }

  /** Every record behind `after`, then those to come; only what is durable. */
  tail(after: number, signal: AbortSignal): AsyncGenerator<Logged<InboxRecord>, void> {
    return this.#space.tail(inbox, after, signal);
  }

  /** Records behind `after`, oldest first; of one conversation when it is given. */
  page(after: number, limit: number, conversation?: string): Promise<Logged<InboxRecord>[]> {
    const posting = conversation === undefined ? {} : { posting: conversationPosting(conversation) };
    return this.#space.page(inbox, { after, limit, ...posting });
  }

  async acknowledge(cursor: number): Promise<void> {
    await this.#space.tx([], (tx) => tx.trim(inbox, cursor));
  }
}

export const Inbox = token<InboxReader>('inbox');
=======
/** Hands what stands in the inbox to the plugins' handlers. */
export type Dispatching = Dispatcher;
export const Dispatching = token<Dispatching>('dispatching');
>>>>>>> nodetests
