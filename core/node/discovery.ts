import type { Inbound } from '../messaging/inbound.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { AdvertisePayload } from '../protocol/envelopes/payloads/payloads.ts';

/** An answer goes to everybody, so one a minute is enough, whoever asks. */
const PAUSE = 60_000;
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
  /** The advertisement of this agent. */
  readonly own: () => AdvertisePayload;
  /** Advertises in the conversation of the question. */
  readonly answer: (conversation: Uint8Array) => void;
}

/**
 * Answers DISCOVER with an ADVERTISE in the same conversation, when this agent can do what is asked for. Nobody can have a
 * node say more than one a minute, or the mesh many more than twenty to one question.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  /** Answers heard, by the conversation of the question. */
  readonly #heard = new BoundedMap<string, number>(REMEMBERED);
  readonly #asked = new BoundedMap<string, number>(REMEMBERED);
  #last = Number.NEGATIVE_INFINITY;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  heard({ payload, conversationId, envelope, sender }: Inbound): void {
    if (payload.msgType === 'ADVERTISE') {
      const answers = this.#heard.get(conversationId);
      if (answers !== undefined) this.#heard.set(conversationId, answers + 1);
    }
    if (payload.msgType !== 'DISCOVER' || !isAnswer(this.#options.own(), payload.value.query)) return;
    const { clock, random, answer } = this.#options;
    const now = clock.now();
    if (now - (this.#asked.get(sender) ?? Number.NEGATIVE_INFINITY) < PAUSE_OF_KEY || now - this.#last < PAUSE) return;
    this.#asked.set(sender, now);
    this.#last = now;
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
