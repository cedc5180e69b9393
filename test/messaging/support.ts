import { createHash } from 'node:crypto';
import type { Attempt, EnvelopeSender } from '../../core/messaging/delivery.ts';
import { Inbox } from '../../core/messaging/inbox.ts';
import { Messages, type Sent } from '../../core/messaging/messages.ts';
import type { OutboxEntry } from '../../core/messaging/outbox-entry.ts';
import type { SendHook } from '../../core/messaging/outgoing.ts';
import { SenderRates } from '../../core/messaging/sender-rates.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom as random } from '../../core/platform/system-clock.ts';
import type { AckReason } from '../../core/protocol/envelopes/ack.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { NO_CONVERSATION } from '../../core/protocol/identity/ids.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import type { Space } from '../../core/storage/space.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';
import { nodeSpace } from '../support/space.ts';

export const network = defineNetwork({ name: 'messaging-tests' });
export const identityOf = (name: string) =>
  identityFromSeed(new Uint8Array(createHash('sha256').update(name).digest()));

/** The messages of one agent over a wire that does what the test says. */
export class MessagesBench implements EnvelopeSender {
  readonly clock: VirtualClock;
  readonly space: Space;
  readonly messages: Messages;
  /** Whom an envelope was sent to, and which one, in order. */
  readonly sent: { readonly to: string; readonly id: string }[] = [];
  /** How the wire answers; everything is accepted until changed. */
  answer: (to: string, id: string) => Attempt | Promise<Attempt> = () => acked('accepted');

  /** Keeps letters for those that cannot be reached, once a test sets it. */
  leave?: NonNullable<EnvelopeSender['leave']>;

  /** The envelopes that left, in order. */
  readonly bytes: Uint8Array[] = [];
  /** Whether it may sign; always, until changed. */
  permit: () => Promise<void> = async () => {};
  /** The key under which an agent goes on, and the conversations that are deals. */
  heirOf: (key: Uint8Array) => Promise<Uint8Array> = async (key) => key;
  hasDeal: (conversation: Uint8Array) => Promise<boolean> = async () => false;
  readonly foreignReceipt: { readonly receipt: Uint8Array; readonly from: string }[] = [];

  private constructor(space: Space, clock: VirtualClock, inbox: Inbox) {
    this.space = space;
    this.clock = clock;
    this.messages = new Messages({
      ...{ space, clock, random, network, inbox },
      identity: identityOf('alice'),
      verifier: new Verifier(),
      envelopeSender: this,
      log: silentLog,
      rates: new SenderRates(clock),
      slot: () => 0,
      receiveHooks: {},
      gate: async () => 'accepted',
      permit: () => this.permit(),
      heirOf: (key) => this.heirOf(key),
      hasDeal: (conversation) => this.hasDeal(conversation),
      listener: {
        taken() {},
        refused() {},
        foreignReceipt: (receipt, from) => void this.foreignReceipt.push({ receipt, from }),
        overhear: () => false,
        outbox() {},
      },
    });
  }

  /** Over the same space it is the same agent after a restart. */
  static async start(space?: Space, clock: VirtualClock = new VirtualClock()): Promise<MessagesBench> {
    const own = space ?? (await nodeSpace(clock));
    const bench = new MessagesBench(own, clock, await Inbox.open(own, silentLog));
    await bench.messages.start();
    return bench;
  }

  async deliver(recipient: Uint8Array, bytes: Uint8Array, id: Uint8Array): Promise<Attempt> {
    const [to, envelope] = [nameOf(recipient), Buffer.from(id).toString('hex')];
    this.bytes.push(bytes);
    this.sent.push({ to, id: envelope });
    return this.answer(to, envelope);
  }

  async broadcast(bytes: Uint8Array, id: Uint8Array): Promise<Attempt> {
    const envelope = Buffer.from(id).toString('hex');
    this.bytes.push(bytes);
    this.sent.push({ to: 'everybody', id: envelope });
    return this.answer('everybody', envelope);
  }

  /** A REJECT, for want of anything shorter. */
  async say(to: string, conversation = 1, purpose?: SendHook, operationId?: string): Promise<Sent> {
    const identity = identityOf(to);
    recipients.set(identity.address, to);
    const body = codecOf('REJECT', 2).encode({ reason: 'no' }, identity.key);
    const conversationId = new Uint8Array(16).fill(conversation + 1);
    const publicPart = () => ({ payer: identity.key, answers: new Uint8Array(32) });
    const draft = { msgType: 'REJECT', recipient: identity.key, conversationId, body, publicPart } as const;
    return this.#settled(this.messages.send(draft, purpose, operationId));
  }

  async shout(): Promise<Sent> {
    const body = codecOf('DISCOVER', 2).encode({ query: 'anybody' }, identityOf('alice').key);
    return this.#settled(this.messages.send({ msgType: 'DISCOVER', conversationId: NO_CONVERSATION, body }));
  }

  /** The envelopes sent to somebody since the last call. */
  sentTo(to: string): string[] {
    const found = this.sent.filter((one) => one.to === to).map(({ id }) => id);
    for (let at = this.sent.length - 1; at >= 0; at--) if (this.sent[at]!.to === to) this.sent.splice(at, 1);
    return found;
  }

  /** Time passes in small steps, so that whatever it wakes gets its turn. */
  async pass(ms: number, step = 1_000): Promise<void> {
    for (let at = 0; at < ms; at += step) await this.clock.advance(step);
  }

  /** Lets a send go on that waits for time only when it has to. */
  async #settled<T>(sending: Promise<T>): Promise<T> {
    let done = false;
    const mark = () => {
      done = true;
    };
    sending.then(mark, mark);
    for (let turn = 0; turn < 20 && !done; turn++) await new Promise((resolve) => setImmediate(resolve));
    return sending;
  }
}

const recipients = new Map<string, string>();

function nameOf(key: Uint8Array): string {
  const found = [...recipients.values()].find((name) => Buffer.compare(identityOf(name).key, key) === 0);
  return found ?? 'a stranger';
}

export function acked(reason: AckReason): Attempt {
  return { outcome: 'acked', reason };
}

export const away: Attempt = { outcome: 'unreachable' };

export function events(entry: OutboxEntry): string[] {
  return entry.hops.map(({ event, detail }) => (detail === undefined ? event : `${event}: ${detail}`));
}
