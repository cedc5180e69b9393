import { route, typed } from '../../core/plugin.ts';

const TIME = '2026-01-01T12:00:00.000Z';
const ID = '00112233445566778899aabbccddeeff';
const EVENTS = ['envelope', 'peer', 'deal', 'reputation', 'batch', 'lease', 'key_change', 'plugin', '*'];

export interface HookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly messages: readonly string[];
  readonly created_at: string;
  readonly waiting: number;
  readonly dead: number;
  readonly dropped: number;
  readonly delivered: number;
  readonly last_error: string | null;
}

export interface DeadLetter {
  readonly id: string;
  readonly number: number;
  readonly type: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly error: string | null;
}

const count = (description: string) => ({ description, type: 'integer', minimum: 0 });
const example: HookView = {
  ...{ id: ID, url: 'https://agent.example/hook', events: ['deal'], messages: ['PROPOSE'], created_at: TIME },
  ...{ waiting: 0, dead: 0, dropped: 0, delivered: 3, last_error: null },
};
const letter: DeadLetter = {
  ...{ id: ID, number: 7, type: 'event.deal', attempts: 5, created_at: TIME, error: 'it answered 404' },
};
const hook = {
  description: 'One receiver. Its secret was shown when it was added.',
  type: 'object',
  required: Object.keys(example),
  properties: {
    id: { type: 'string' },
    url: { type: 'string' },
    events: { type: 'array', items: { type: 'string' } },
    messages: { type: 'array', items: { type: 'string' } },
    created_at: { type: 'string', format: 'date-time' },
    waiting: count('Deliveries that wait, at most 1000.'),
    dead: count('Deliveries that were given up, at most 200 are kept.'),
    dropped: count('Events that found its queue full.'),
    delivered: count('Deliveries that it took.'),
    last_error: { description: 'Why its last delivery failed; null once it took one.', type: ['string', 'null'] },
  },
};
const added = {
  ...hook,
  description: 'The receiver that was added, with the secret that signs what it gets. It is shown this once.',
  required: [...hook.required, 'secret'],
  properties: { ...hook.properties, secret: { type: 'string' } },
};
const id = typed<string>({ type: 'string', pattern: '^[0-9a-f]{32}$', examples: [ID] });
const limit = { type: 'integer', minimum: 1, 'x-most': 200, default: 50 };
const list = (items: object, most: number) => ({ type: 'array', maxItems: most, uniqueItems: true, items });

const READS = { per: 'principal', rate: 6_000, window: 60 } as const;
const STEPS = { per: 'principal', rate: 600, window: 60 } as const;

/** Every call needs the secret, on the same machine too: a receiver gets the agent's messages. */
export const routes = {
  list: route('GET /webhooks', {
    auth: 'api-secret',
    limit: READS,
    summary: 'The receivers, and how their deliveries stand.',
    reply: typed<{ hooks: HookView[] }>({
      type: 'object',
      required: ['hooks'],
      properties: { hooks: { type: 'array', items: hook } },
      examples: [{ hooks: [example] }],
    }),
  }),
  add: route('POST /webhooks', {
    auth: 'api-secret',
    limit: STEPS,
    summary: 'Adds a receiver for kinds of events and types of messages, from now on; at most eight.',
    body: typed<{ url: string; events?: string[]; messages?: string[] }>({
      type: 'object',
      required: ['url'],
      properties: {
        url: {
          description: 'http: or https:, without a user or password.',
          type: 'string',
          minLength: 8,
          maxLength: 2048,
        },
        events: { description: 'Kinds of /ws/events; * is all of them.', ...list({ enum: EVENTS }, 8) },
        messages: {
          description: 'Message types as in the inbox, such as PROPOSE; * is all of them.',
          ...list({ type: 'string', pattern: '^([A-Z_]{2,32}|\\*)$' }, 32),
        },
      },
      examples: [{ url: example.url, events: ['deal'], messages: ['PROPOSE'] }],
    }),
    reply: typed<HookView & { secret: string }>({
      ...added,
      examples: [{ ...example, delivered: 0, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }],
    }),
    errors: ['conflict'],
  }),
  remove: route('DELETE /webhooks/:id', {
    auth: 'api-secret',
    limit: STEPS,
    summary: 'Removes a receiver with all that waits for it.',
    params: { id },
    reply: 'done',
    errors: ['not_found'],
  }),
  dead: route('GET /webhooks/:id/dead', {
    auth: 'api-secret',
    limit: READS,
    summary: 'The deliveries to a receiver that were given up, the oldest first.',
    params: { id },
    query: typed<{ limit?: number; after?: number }>({
      type: 'object',
      properties: {
        limit: { description: 'How many to return; 200 at most, and more is read as 200.', ...limit },
        after: {
          description: 'The number of the last one of the page before.',
          type: 'integer',
          minimum: 0,
          maximum: 2 ** 53 - 1,
        },
      },
    }),
    reply: typed<{ dead: DeadLetter[] }>({
      type: 'object',
      required: ['dead'],
      properties: {
        dead: {
          type: 'array',
          items: {
            type: 'object',
            required: Object.keys(letter),
            properties: {
              id: { type: 'string' },
              number: { type: 'integer' },
              type: { type: 'string' },
              attempts: { type: 'integer' },
              created_at: { type: 'string', format: 'date-time' },
              error: { type: ['string', 'null'] },
            },
          },
        },
      },
      examples: [{ dead: [letter] }],
    }),
    errors: ['not_found'],
  }),
  redeliver: route('POST /webhooks/:id/redeliver', {
    auth: 'api-secret',
    limit: STEPS,
    summary: 'Has one delivery that was given up wait again, or without a name the hundred oldest.',
    params: { id },
    body: typed<{ delivery?: string }>({
      type: 'object',
      properties: { delivery: { description: 'Its id.', type: 'string', minLength: 1, maxLength: 128 } },
      examples: [{ delivery: ID }],
    }),
    reply: typed<{ redelivered: number }>({
      type: 'object',
      required: ['redelivered'],
      properties: { redelivered: { type: 'integer', minimum: 0 } },
      examples: [{ redelivered: 1 }],
    }),
    errors: ['not_found'],
  }),
} as const;
