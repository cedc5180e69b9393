import { type TypedSchema, typed } from '../../core/plugin.ts';

const USDC = { $ref: 'common.json#/$defs/usdc' };
const TIME = { $ref: 'common.json#/$defs/time' };
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

export interface HistoryQuery {
  readonly limit?: number;
  readonly before?: number;
}
export const historyQuery: TypedSchema<HistoryQuery> = typed({
  type: 'object',
  properties: {
    limit: { $ref: 'common.json#/$defs/limit' },
    before: {
      description: 'Only entries older than this one.',
      type: 'integer',
      minimum: 1,
      maximum: 9_007_199_254_740_991,
      examples: [100],
    },
  },
});

export interface HistoryAnswer {
  readonly entries: readonly {
    readonly id: number;
    readonly at: string;
    readonly kind: string;
    readonly amount_usdc: string;
    readonly direction: string;
    readonly ref: string;
  }[];
}
export const historyAnswer: TypedSchema<HistoryAnswer> = typed({
  $id: 'billing/history',
  type: 'object',
  required: ['entries'],
  properties: {
    entries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'at', 'kind', 'amount_usdc', 'direction', 'ref'],
        properties: {
          id: { type: 'integer', examples: [7] },
          at: TIME,
          kind: {
            description: 'A deposit, or an amount set aside or given back.',
            enum: ['deposit', 'reserve', 'release'],
          },
          amount_usdc: USDC,
          direction: { enum: ['in', 'out'] },
          ref: {
            description: 'The transaction of a deposit, else the withdrawal.',
            type: 'string',
            examples: [SIGNATURE],
          },
        },
      },
    },
  },
  examples: [
    {
      entries: [
        { id: 7, at: '2026-01-01T12:00:00.000Z', kind: 'deposit', amount_usdc: '10', direction: 'in', ref: SIGNATURE },
      ],
    },
  ],
});
