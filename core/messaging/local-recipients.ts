import type { Ack } from '../protocol/envelopes/ack.ts';
import { lookAtEnvelope } from '../protocol/envelopes/codec.ts';
import { isBroadcast } from '../protocol/envelopes/message-types.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';

/** Takes an envelope: its bytes, whether it was forwarded, the address it came from, and the topic it came under. */
export type Receive = (bytes: Uint8Array, forwarded: boolean, remote: string, topic?: string) => Promise<Ack>;

/** The address of envelopes that another agent of this node sent. */
export const THIS_NODE = '127.0.0.1';

/**
 * The agents that live in this process, and the way of an envelope to its recipient among them. Broadcasts go to the node's own agent, which
 * keeps the address book.
 */
export class LocalRecipients {
  readonly #own: string;
  readonly #receivers = new Map<string, Receive>();
  #isExpected: (key: string) => Promise<boolean> = async () => false;

  /** `own` is the key of the node's own agent. */
  constructor(own: string) {
    this.#own = own;
  }

  add(key: string, receive: Receive): void {
    this.#receivers.set(key, receive);
  }

  remove(key: string): void {
    this.#receivers.delete(key);
  }

  has(key: string): boolean {
    return this.#receivers.has(key);
  }

  /** Has senders try again later whose recipient is not here yet, and will be. */
  expect(isExpected: (key: string) => Promise<boolean>): void {
    this.#isExpected = isExpected;
  }

  /** Has the node's own agent hear a broadcast of another agent of this node. */
  async overhear(bytes: Uint8Array, topic: string): Promise<void> {
    const looked = lookAtEnvelope(bytes);
    if (!looked.ok || formatAgentId(looked.value.sender) === this.#own) return;
    await this.receive(bytes, false, THIS_NODE, topic);
  }

  receive: Receive = async (bytes, ...from) => {
    const looked = lookAtEnvelope(bytes);
    const key = looked.ok && !isBroadcast(looked.value.msgType) ? formatAgentId(looked.value.recipient) : this.#own;
    const receive = this.#receivers.get(key);
    if (receive) return receive(bytes, ...from);
    if (key === this.#own || (await this.#isExpected(key))) return { reason: 'rate-limited' };
    return (await this.#receivers.get(this.#own)?.(bytes, ...from)) ?? { reason: 'rate-limited' };
  };
}
