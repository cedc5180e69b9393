import type { MessageStatus, Messages, Sayings, SendOptions, SentMessage } from '../../services.ts';

/** One message that a plugin under test sent; a switch on `type` tells the type of `payload`. */
export type FakeSent = {
  [N in keyof Sayings]: SentMessage & {
    readonly type: N;
    readonly payload: Sayings[N];
    readonly options: SendOptions;
  };
}[keyof Sayings];

/** Sends nothing and remembers everything: `services: [value(Messages, new FakeMessages())]`. */
export class FakeMessages implements Messages {
  /** The sent messages, oldest first; one that is repeated under one `operationId` is there once. */
  readonly sent: FakeSent[] = [];
  readonly #status = new Map<string, MessageStatus>();

  async send<N extends keyof Sayings>(type: N, payload: Sayings[N], options: SendOptions = {}): Promise<SentMessage> {
    const { operationId } = options;
    const before = this.sent.find((one) => operationId !== undefined && one.options.operationId === operationId);
    if (before) return before;
    const number = this.sent.length + 1;
    const id = number.toString(16).padStart(64, '0');
    const conversationId = options.conversationId ?? number.toString(16).padStart(32, '0');
    const payloadHash = '0'.repeat(64);
    const head = { id, conversationId, nonce: number, payloadHash, status: 'queued' } as const;
    const message = { type, payload, options, ...head } as FakeSent;
    this.sent.push(message);
    this.#status.set(id, 'queued');
    return message;
  }

  async status(id: string): Promise<MessageStatus | undefined> {
    return this.#status.get(id);
  }

  /** The status that a sent message gets. */
  become(id: string, status: MessageStatus): void {
    this.#status.set(id, status);
  }
}
