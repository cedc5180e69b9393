import { typed } from '../../core/plugin.ts';

export interface HostingConfig {
  /** The secret that hosts show to an aggregator with every heartbeat. Without one the aggregator lists nobody. */
  readonly hostingSecret?: string;
  /** Whether this node hosts agents for others. */
  readonly hostAgents: boolean;
  readonly feeBps: number;
  readonly maxAgents: number;
  readonly maxPerAddress?: number;
  readonly registrationsPerMinute: number;
  readonly tokenDays: number;
  readonly passphrase?: string;
}

export const hostingConfig = typed<HostingConfig>({
  type: 'object',
  properties: {
    hostingSecret: {
      description:
        'The secret that hosts show to an aggregator with every heartbeat. Without one the aggregator lists nobody.',
      type: 'string',
      minLength: 16,
      maxLength: 1024,
    },
    hostAgents: { description: 'Whether this node hosts agents for others.', type: 'boolean', default: false },
    feeBps: {
      description: 'Fee of a hosted message in basis points of the amount that it offers or accepts; 50 means 0.5 %.',
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 0,
    },
    maxAgents: {
      description: 'Agents that it hosts at most.',
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
    },
    maxPerAddress: {
      description:
        'Agents that were registered from one address at most; a quarter of the places that other addresses have left unless given.',
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
    },
    registrationsPerMinute: {
      description: 'Agents that register within a minute at most, whoever asks.',
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 60,
    },
    tokenDays: {
      description: 'Days until a token has to be changed for another one.',
      type: 'integer',
      minimum: 1,
      maximum: 3_650,
      default: 30,
    },
    passphrase: {
      description:
        'Encrypts the keys of the hosted agents, in place of a key file. It cannot be changed while agents are hosted.',
      type: 'string',
      minLength: 12,
      maxLength: 1024,
    },
  },
});
