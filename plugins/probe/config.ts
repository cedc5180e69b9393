import { type TypedSchema, typed } from '../../core/plugin.ts';
import { ANSWER_KINDS, type AnswerKind } from './judgement.ts';

/** A small job that an agent is hired for. */
export interface Task {
  /** The work that the offer asks for; `{word}` stands for something random, another one each time. */
  readonly message: string;
  /** Only agents that advertise it are hired for this. */
  readonly capability?: string;
  /** A random word that has to come back unless given. */
  readonly answer?: AnswerKind;
}

export interface ProbeConfig {
  readonly maxPerDay: string;
  readonly amount: string;
  readonly maxPerAgent: string;
  readonly newPart: number;
  readonly every: number;
  readonly answerSecs: number;
  readonly deadlineSecs: number;
  readonly tasks: readonly Task[];
}

const usdc = (description: string, value: string) => ({
  ...{ description, type: 'string', pattern: '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,6})?$' },
  ...{ default: value, examples: [value] },
});
const seconds = (description: string, minimum: number, maximum: number, value: number) => ({
  ...{ description, type: 'integer', minimum, maximum, default: value },
});

export const config: TypedSchema<ProbeConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    maxPerDay: usdc('USDC that all probes of 24 hours may cost together; with 0 nobody is hired.', '0'),
    amount: {
      ...usdc('USDC that one agent is paid for one job, more than 0.', '0.1'),
      pattern: '^(?!0(\\.0+)?$)(0|[1-9][0-9]{0,5})(\\.[0-9]{1,6})?$',
    },
    maxPerAgent: usdc('USDC that one agent may be paid in 30 days.', '0.5'),
    newPart: {
      description:
        'The part of maxPerDay for agents without standing, from 0 to 1, though one job at least; a flood of keys gets no more.',
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.25,
    },
    every: seconds('Seconds from one offer to the next, give or take a half.', 60, 604_800, 3_600),
    answerSecs: seconds('Seconds for which an offer stands.', 1, 86_400, 3_600),
    deadlineSecs: seconds('Seconds that an agent has for the work.', 60, 604_800, 3_600),
    tasks: {
      description:
        'The jobs, one of them at random. A delivery that holds the answer of the job is rated well, any other badly.',
      type: 'array',
      minItems: 1,
      maxItems: 64,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['message'],
        properties: {
          message: {
            description: 'The work; `{word}` stands for what `answer` says.',
            type: 'string',
            maxLength: 2_000,
            pattern: '\\{word\\}',
          },
          capability: {
            description: 'Only agents that advertise it are hired for this.',
            type: 'string',
            minLength: 1,
            maxLength: 64,
          },
          answer: {
            description:
              '`word`: `{word}` is a random word, which the delivery has to hold. `sum`: it is a sum of two numbers, and the delivery has to hold the result. `sha256`: it is a random word, and the delivery has to hold its SHA-256 in hex.',
            enum: ANSWER_KINDS,
            default: 'word',
          },
        },
      },
      default: [
        { message: 'Say in one sentence of plain text what you do best, and write the word {word} behind it.' },
        { message: 'Work out {word}, and answer with the result in digits.', answer: 'sum' },
      ],
    },
  },
});
