import { type TypedSchema, typed } from '../../core/plugin.ts';

/** Something that an agent says it can do. */
export interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
}

/** An agent that is served beside the node's own, such as a hosted one. */
export interface ServedAgent {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly skills?: readonly Skill[];
}

export interface A2aConfig {
  readonly description?: string;
  readonly skills: readonly Skill[];
  readonly extendedSkills: readonly Skill[];
  readonly agents: readonly ServedAgent[];
  readonly clients: readonly { readonly name: string; readonly token: string }[];
  readonly guests: boolean;
  readonly price: string;
  readonly pushes: { readonly privateAddresses: boolean };
  readonly outbound: {
    readonly tokens: readonly { readonly origin: string; readonly token: string }[];
    readonly signed: boolean;
  };
  readonly hire: { readonly offer: string; readonly most: string; readonly settle: 'client' | 'delivery' };
}

const text = (description: string, maxLength: number) => ({ description, type: 'string', minLength: 1, maxLength });
const usdc = (description: string) => ({
  ...{ description, type: 'string', pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,6})?$' },
  ...{ default: '0', examples: ['0.5'] },
});
const skills = (description: string) => ({
  description,
  type: 'array',
  maxItems: 32,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'name', 'description', 'tags'],
    properties: {
      id: { ...text('Its name for programs.', 64), pattern: '^[A-Za-z0-9._-]+$' },
      name: text('Its name for people.', 128),
      description: text('The work in a sentence or two.', 1_024),
      tags: { type: 'array', minItems: 1, maxItems: 16, items: text('A word to find it by.', 64) },
      examples: { type: 'array', minItems: 1, maxItems: 5, items: text('A message that asks for it.', 512) },
    },
  },
});
const description = text('A sentence about the agent, for its card.', 1_024);

export const config: TypedSchema<A2aConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    description,
    skills: { ...skills('The skills on the card of the own agent.'), default: [] },
    extendedSkills: { ...skills('Skills that only clients see, on the extended card.'), default: [] },
    agents: {
      description: 'Agents served beside the own one, such as agents that this node hosts.',
      type: 'array',
      maxItems: 64,
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: {
          id: { description: 'The agent id, base58.', type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' },
          name: text('The name on its card.', 64),
          description,
          skills: skills('The skills on its card.'),
        },
      },
    },
    clients: {
      description: 'Clients that may give tasks, each with the Bearer token that it shows.',
      type: 'array',
      maxItems: 16,
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'token'],
        properties: {
          name: { ...text('Names the client in this node.', 32), pattern: '^[a-z0-9-]+$' },
          token: { description: 'Its token; a secret.', type: 'string', minLength: 16, maxLength: 1_024 },
        },
      },
    },
    guests: { description: 'Whether callers without a token may give tasks.', type: 'boolean', default: false },
    price: usdc(
      'USDC that work costs here. Above 0 clients and guests are told to hire the agent by a deal on the mesh.',
    ),
    pushes: {
      description: 'Where clients may have push notifications sent.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        privateAddresses: {
          description: 'Whether clients may name private addresses where the mesh is private; the owner always may.',
          type: 'boolean',
          default: false,
        },
      },
    },
    outbound: {
      description: 'How this node calls A2A agents elsewhere for its owner, at /a2a/jobs.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        signed: {
          description: 'Whether tasks are given to those alone whose card a key of their own host has signed.',
          type: 'boolean',
          default: false,
        },
        tokens: {
          description: 'Bearer tokens, each sent to the agents of one origin and to nobody else.',
          type: 'array',
          maxItems: 64,
          default: [],
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['origin', 'token'],
            properties: {
              origin: {
                ...text('The origin.', 256),
                pattern: '^https?://[^/\\s@?#]+$',
                examples: ['https://agent.example'],
              },
              token: { description: 'Its token; a secret.', type: 'string', minLength: 1, maxLength: 1_024 },
            },
          },
        },
      },
    },
    hire: {
      description: 'The terms by which this node hires other agents for its owner at /a2a/hire/:agent.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        offer: usdc('USDC that an offer promises when the message names no amount.'),
        most: usdc('The most USDC that one task may promise.'),
        settle: {
          description:
            'Who releases the money once the work is delivered: the client by a message, or this node at once.',
          enum: ['client', 'delivery'],
          default: 'client',
        },
      },
    },
  },
});

/** Minor units of such a text. */
export function microOf(amount: string): bigint {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}
