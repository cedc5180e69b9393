import { type TypedSchema, typed } from '../../plugin.ts';

/** `core.watch` of plugins.json: what this node does about others. Its own accusations it answers always. */
export interface WatchConfig {
  readonly accuse: boolean;
  readonly blind: boolean;
  readonly slash: boolean;
  readonly deposits: string;
}

const LAMPORTS = 1_000_000_000;

export const watchConfig: TypedSchema<WatchConfig> = typed<WatchConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    accuse: {
      description: 'Accuse and convict agents whose batches leave out an envelope that this node holds.',
      type: 'boolean',
      default: false,
    },
    blind: {
      description: 'Accuse, too, when nobody shows the leaves of a batch; an honest answer costs the deposit.',
      type: 'boolean',
      default: false,
    },
    slash: { description: 'Slash agents that stopped submitting batches.', type: 'boolean', default: false },
    deposits: {
      description: 'SOL that may be put down with accusations in 30 days.',
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,9})?$',
      default: '0.2',
    },
  },
});

export function lamportsOf(sol: string): bigint {
  return BigInt(Math.round(Number(sol) * LAMPORTS));
}
