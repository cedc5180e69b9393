import type { Inbound } from '../messaging/inbound.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock, Random } from '../platform/clock.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import type { AdvertisePayload } from '../protocol/envelopes/payloads/payloads.ts';

/** Answers in a minute, and as many at once: an answer goes to everybody, so strangers share these, whoever asks. */
const A_MINUTE = 6;
/** One key that keeps asking is answered this often. */
const PAUSE_OF_KEY = 600_000;
/** Answers wait for up to so long, at random, for others to come first. */
const SPREAD = 3_000;
/** A question that so many have answered needs no further answer. */
const ENOUGH = 20;
const REMEMBERED = 1_000;

export interface DiscoveryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this agent has had business with a key. */
  readonly isPartner: (key: string) => Promise<boolean>;
  /** The advertisement of this agent. */
  readonly own: () => AdvertisePayload;
  /** Advertises in the conversation of the question. */
  readonly answer: (conversation: Uint8Array) => void;
}

/**
 * Answers DISCOVER with an ADVERTISE in the same conversation, when this agent can do what is asked for. One key has an
 * answer in ten minutes. Strangers together have six a minute, and whoever this agent has had business with has as many apart from
 * them, so that keys made by the thousand silence it towards strangers only. The mesh hears little more than twenty answers to one question.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  /** Answers heard, by the conversation of the question. */
  readonly #heard = new BoundedMap<string, number>(REMEMBERED);
  readonly #asked = new BoundedMap<string, number>(REMEMBERED);
  readonly #strangers: TokenBucket;
  readonly #partners: TokenBucket;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const share = () => new TokenBucket(options.clock, A_MINUTE / 60, A_MINUTE);
    this.#strangers = share();
    this.#partners = share();
  }

  async heard({ payload, conversationId, envelope, sender }: Inbound): Promise<void> {
    if (payload.msgType === 'ADVERTISE') {
      const answers = this.#heard.get(conversationId);
      if (answers !== undefined) this.#heard.set(conversationId, answers + 1);
    }
    if (payload.msgType !== 'DISCOVER' || !isAnswer(this.#options.own(), payload.value.query)) return;
    const { clock, random, isPartner, answer } = this.#options;
    const wasAsked = () => clock.now() - (this.#asked.get(sender) ?? Number.NEGATIVE_INFINITY) < PAUSE_OF_KEY;
    if (wasAsked()) return;
    if (!this.#strangers.take()) {
      if (this.#partners.tokens < 1 || !(await isPartner(sender))) return;
      if (wasAsked() || !this.#partners.take()) return;
    }
    this.#asked.set(sender, clock.now());
    this.#heard.set(conversationId, 0);
    clock.after(random.fraction() * SPREAD, () => {
      if ((this.#heard.get(conversationId) ?? 0) < ENOUGH) answer(envelope.conversationId);
    });
  }
}

/** Whether every word of the query is in what an agent says it can do. */
export function isAnswer({ capabilities = [], description = '' }: AdvertisePayload, query: string): boolean {
  if (capabilities.length === 0) return false;
  const said = [...capabilities, description].join(' ').toLowerCase();
  const words = query
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => said.includes(word));
}
