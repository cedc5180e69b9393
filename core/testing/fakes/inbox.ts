import type { MessageName, Payloads, ReceivedEnvelope } from '../../plugin.ts';
import type { Inbox, InboxMessage, InboxPage, InboxQuery } from '../../services.ts';
import { Wakeups } from '../../storage/wakeups.ts';

type Head = Partial<Omit<ReceivedEnvelope, 'type' | 'payload'>>;

/** An inbox that a test fills: `services: [value(Inbox, inbox)]`. */
export class FakeInbox implements Inbox {
  readonly #messages: InboxMessage[] = [];
  readonly #wakeups = new Wakeups();

  /** Puts a message in; what the test does not say of it is made up. */
  receive<N extends MessageName>(type: N, payload: Payloads[N], head: Head = {}): InboxMessage {
    const cursor = this.#messages.length + 1;
    const id = cursor.toString(16).padStart(64, '0');
    const made = { id, sender: 'a', recipient: null, conversationId: '0'.repeat(32), sentAt: 0 };
    const message = { ...made, slot: 0, nonce: cursor, sealed: false, ...head, cursor, type, payload } as InboxMessage;
    this.#messages.push(message);
    this.#wakeups.wake('inbox');
    return message;
  }

  async page({ after = 0, limit = 50, conversationId }: InboxQuery = {}): Promise<InboxPage> {
    const found = this.#messages.filter(
      (one) => one.cursor > after && (conversationId === undefined || one.conversationId === conversationId),
    );
    const messages = found.slice(0, Math.min(limit, 200));
    return { messages, next: messages.at(-1)?.cursor ?? after };
  }

  async *follow(signal: AbortSignal, after = this.#messages.length): AsyncGenerator<InboxMessage, void> {
    for (let next = after; !signal.aborted; ) {
      const message = this.#messages[next];
      if (message) {
        next += 1;
        yield message;
      } else await this.#wakeups.wait('inbox', signal);
    }
  }
}
