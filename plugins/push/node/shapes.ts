import { type Limit, route, typed } from '../../../core/plugin.ts';

/** An aggregator that this agent tells whether it sleeps. */
export interface AggregatorView {
  readonly url: string;
  /** As this aggregator was told last; null when it was told nothing since the start. */
  readonly sleeping: boolean | null;
  readonly registered: boolean;
  /** Messages that wait there, as it said last. */
  readonly pending: number;
  readonly problem: string | null;
}

export interface SleepView {
  readonly sleeping: boolean;
  readonly device: boolean;
  /** Messages that were taken from pending queues since the start. */
  readonly taken: number;
  /** Taken ones that this node could not accept yet. */
  readonly deferred: number;
  readonly aggregators: readonly AggregatorView[];
  /** The hub over which others reach this node, the nearest of those that give it a slot; null when none does. */
  readonly slot: { readonly hub: string; readonly round_trip_ms: number } | null;
}

const AGGREGATOR = {
  type: 'object',
  required: ['url', 'sleeping', 'registered', 'pending', 'problem'],
  properties: {
    url: { type: 'string' },
    sleeping: {
      description: 'As it was told last; null when nothing was since the start.',
      type: ['boolean', 'null'],
    },
    registered: { description: 'Whether it knows where the device is woken.', type: 'boolean' },
    pending: { description: 'Messages that wait there, as it said last.', type: 'integer', minimum: 0 },
    problem: { description: 'Why it does not know yet; it is tried again.', type: ['string', 'null'] },
  },
};

export const sleepView = typed<SleepView>({
  $id: 'push/state',
  type: 'object',
  required: ['sleeping', 'device', 'taken', 'deferred', 'aggregators', 'slot'],
  properties: {
    sleeping: { description: 'Whether this agent sleeps, or is about to.', type: 'boolean' },
    device: { description: 'Whether a push token is configured.', type: 'boolean' },
    taken: { description: 'Messages taken from pending queues since the start.', type: 'integer', minimum: 0 },
    deferred: {
      description: 'Taken messages that this node could not accept yet, such as those of a sender who is too fast.',
      type: 'integer',
      minimum: 0,
    },
    aggregators: { type: 'array', items: AGGREGATOR },
    slot: {
      description:
        'The hub over which others reach this node: of those that give it a relay slot the nearest by measured round trip; null when none does.',
      type: ['object', 'null'],
      required: ['hub', 'round_trip_ms'],
      properties: { hub: { type: 'string' }, round_trip_ms: { type: 'number', minimum: 0 } },
    },
  },
  examples: [
    {
      ...{ sleeping: false, device: true, taken: 3, deferred: 0 },
      aggregators: [
        { url: 'https://aggregator.example.org', sleeping: false, registered: true, pending: 0, problem: null },
      ],
      slot: { hub: 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF', round_trip_ms: 18 },
    },
  ],
});

const sleepRequest = typed<{ sleeping?: boolean }>({
  type: 'object',
  properties: { sleeping: { description: 'true unless given; false is POST /push/wake.', type: 'boolean' } },
  examples: [{ sleeping: true }],
});

const STEPS: Limit = { per: 'principal', rate: 60, window: 60 };

export const routes = {
  sleep_state: route('GET /push', {
    auth: 'api-read',
    limit: { per: 'principal', rate: 600, window: 60 },
    summary: 'Whether this agent sleeps, and which aggregators know.',
    reply: sleepView,
  }),
  sleep: route('POST /push/sleep', {
    auth: 'api',
    limit: STEPS,
    summary: 'Tells the aggregators that this agent sleeps: they hold messages for it, and wake its device.',
    body: sleepRequest,
    reply: sleepView,
    errors: ['conflict'],
  }),
  wake: route('POST /push/wake', {
    auth: 'api',
    limit: STEPS,
    summary:
      'Asks the nearest hub for a relay slot, takes what waited for this agent into its inbox, and tells the aggregators that it is awake.',
    reply: sleepView,
    errors: ['conflict'],
  }),
} as const;

/** An answer of an aggregator. */
export interface PendingItem {
  readonly from: string;
  readonly payload: string;
  readonly cursor: number;
}
export const PENDING = typed<PendingItem[]>({
  type: 'array',
  maxItems: 200,
  items: {
    type: 'object',
    required: ['from', 'payload', 'cursor'],
    properties: {
      from: { type: 'string', maxLength: 64 },
      payload: { type: 'string' },
      cursor: { type: 'integer', minimum: 1 },
    },
  },
});
export const SLEEP_ANSWER = typed<{ sleeping: boolean; pending: number }>({
  type: 'object',
  required: ['sleeping', 'pending'],
  properties: { sleeping: { type: 'boolean' }, pending: { type: 'integer', minimum: 0 } },
});
export const SLEEP_STATE = typed<{ sleeping: boolean }>({
  type: 'object',
  required: ['sleeping'],
  properties: { sleeping: { type: 'boolean' } },
});

/** Whether this agent wants to sleep, over restarts. */
export const STORED_WISH = {
  $id: 'push/wish',
  type: 'object',
  required: ['sleeping'],
  properties: { sleeping: { type: 'boolean' } },
};
/** A message that was taken and could not be accepted yet. */
export const STORED_DEFERRED = {
  $id: 'push/deferred',
  type: 'object',
  required: ['from', 'sender', 'order', 'bytes'],
  properties: {
    from: { type: 'string' },
    sender: { type: 'string' },
    order: { type: 'integer' },
    bytes: { type: 'string' },
  },
};
