import { collection } from '../../core/plugin.ts';

/** One receiver, as it is stored. */
export interface Hook {
  readonly url: string;
  /** Signs what it gets: 32 bytes in base64. */
  readonly secret: string;
  /** Kinds of node events, and types of messages, that it gets. */
  readonly events: readonly string[];
  readonly messages: readonly string[];
  readonly created_at: number;
  readonly waiting: number;
  readonly dead: number;
  /** Deliveries that found no room. */
  readonly dropped: number;
  readonly delivered: number;
  /** The number of its next delivery. */
  readonly next: number;
  readonly last_error: string | null;
}

/** One event on its way to one receiver. */
export interface Delivery {
  readonly hook: string;
  /** In the order of their numbers. */
  readonly number: number;
  readonly event: string;
  readonly type: string;
  readonly body: string;
  readonly state: 'waiting' | 'dead';
  readonly attempts: number;
  /** Attempts that the receiver answered with a refusal of this delivery. */
  readonly refusals: number;
  readonly due: number;
  readonly created_at: number;
  readonly error: string | null;
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const texts = { type: 'array', maxItems: 32, items: text };
const maybe = { type: ['string', 'null'] };

function object(properties: Record<string, object>): object {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

/** The shapes of what is stored. */
export const schemas = [
  {
    $id: 'webhooks/hook',
    ...object({
      ...{ url: text, secret: text, events: texts, messages: texts, created_at: count, waiting: count, dead: count },
      ...{ dropped: count, delivered: count, next: count, last_error: maybe },
    }),
  },
  {
    $id: 'webhooks/delivery',
    ...object({
      ...{ hook: text, number: count, event: text, type: text, body: text, state: { enum: ['waiting', 'dead'] } },
      ...{ attempts: count, refusals: count, due: count, created_at: count, error: maybe },
    }),
  },
];

export const hooks = collection<Hook>('hooks', { schema: 'webhooks/hook' });

export const deliveries = collection<Delivery, 'waiting' | 'dead'>('deliveries', {
  schema: 'webhooks/delivery',
  indexes: {
    waiting: ({ state, hook, number }) => (state === 'waiting' ? [hook, number] : undefined),
    dead: ({ state, hook, number }) => (state === 'dead' ? [hook, number] : undefined),
  },
});

/** The same event comes to a receiver under the same id, however often it is told. */
export function deliveryRef(hook: string, event: string) {
  return deliveries.ref(`${hook}:${event}`);
}
