import { collection } from '../../core/plugin.ts';
import type { Ref } from '../../core/services.ts';
import type { AnswerKind } from './judgement.ts';

/**
 * `running`: offered, or about to be. `lapsed`: nobody answered in time, so the money is free again; an answer that was signed in
 * time may still come. `ended`: nothing more happens.
 */
export type ProbeState = 'running' | 'lapsed' | 'ended';

/** One hired agent, by the conversation of its deal. */
export interface StoredProbe {
  readonly agent_id: string;
  /** Whether it was hired without standing. */
  readonly fresh?: boolean;
  /** Minor units, as digits. */
  readonly amount: string;
  readonly message: string;
  /** The delivery has to hold it. */
  readonly word: string;
  /** How it follows from the message; a word of the message where absent. */
  readonly answer?: AnswerKind;
  readonly state: ProbeState;
  /** Unix milliseconds. */
  readonly created: number;
  readonly ended?: number;
  /** Whether the delivery holds it; absent before there is one. */
  readonly fits?: boolean;
  /** The state of the deal when it was looked at last. */
  readonly deal?: string;
  readonly score?: number;
  /** Whether the amount is counted in the budgets. */
  readonly counted: boolean;
}

/** Amounts put aside, in minor units, as digits, with their times. */
export interface StoredBudget {
  readonly spent: readonly {
    readonly at: number;
    readonly of: string;
    readonly amount: string;
    /** Whether its agent was hired without standing. */
    readonly fresh?: boolean;
  }[];
}

const DAY = 86_400_000;
export const KEPT_MS = 365 * DAY;

export const probes = collection<StoredProbe, 'recent' | 'open'>('probes', {
  schema: 'probe/stored',
  indexes: {
    recent: ({ created }) => [-created],
    open: ({ state, created }) => (state === 'running' ? [created] : undefined),
  },
});

export const budgets = collection<StoredBudget>('budgets', { schema: 'probe/budget' });
/** Of everybody, in 24 hours. */
export const dayBudget: Ref<StoredBudget> = budgets.ref('day');

export function agentBudget(agentId: string): Ref<StoredBudget> {
  return budgets.ref(`agent/${agentId}`);
}

/** When the next agent is hired. */
export const schedules = collection<{ readonly next: number }>('schedules', { schema: 'probe/schedule' });
export const schedule = schedules.ref('next');

const digits = { type: 'string', pattern: '^[0-9]{1,19}$' };
const time = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const stored = (name: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  $id: `probe/${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((one) => !optional.includes(one)),
  properties,
});

export const STORED: readonly object[] = [
  stored(
    'stored',
    {
      ...{ agent_id: text, amount: digits, message: text, word: text },
      ...{ state: { enum: ['running', 'lapsed', 'ended'] }, created: time, ended: time },
      ...{ fits: { type: 'boolean' }, deal: text, score: { type: 'integer' }, counted: { type: 'boolean' } },
      ...{ answer: text, fresh: { type: 'boolean' } },
    },
    ['ended', 'fits', 'deal', 'score', 'answer', 'fresh'],
  ),
  stored('budget', {
    spent: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'of', 'amount'],
        properties: { at: time, of: text, amount: digits, fresh: { type: 'boolean' } },
      },
    },
  }),
  stored('schedule', { next: time }),
];
