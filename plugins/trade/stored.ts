import type { spendingWindow } from '../../core/plugin.ts';
import { MINT, type Pair } from './tokens.ts';

/** Cents that were traded in 24 hours; until 26 November 2026 by the hour. */
export type Day =
  | spendingWindow.SpendingWindow
  | { readonly hours: readonly { readonly from: number; readonly cents: number }[] };

/** A swap that waits for a confirmation. */
export interface Waiting extends Pair {
  readonly amount: string;
  readonly slippage_bps: number;
  readonly created: number;
  /** The least that the caller's quote promised. */
  readonly quoted?: string;
}

export interface Asked {
  readonly at: number;
}

/** The transaction that a caller's operation has sent. */
export interface Operation {
  readonly key: string;
  readonly order?: string;
  readonly inAmount?: string;
  readonly outAmount?: string;
}

const stored = (name: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  $id: `trade/${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((one) => !optional.includes(one)),
  properties,
});
const text = { type: 'string', maxLength: 200 };
const integer = { type: 'integer' };

/** The plugin's collections. */
export const STORED: readonly object[] = [
  stored(
    'day',
    {
      quarters: {
        type: 'array',
        maxItems: 128,
        items: { type: 'object', required: ['from', 'amount'], properties: { from: integer, amount: text } },
      },
      hours: {
        type: 'array',
        maxItems: 26,
        items: { type: 'object', required: ['from', 'cents'], properties: { from: integer, cents: integer } },
      },
    },
    ['quarters', 'hours'],
  ),
  stored(
    'waiting',
    { input_mint: MINT, output_mint: MINT, amount: text, slippage_bps: integer, created: integer, quoted: text },
    ['quoted'],
  ),
  stored('asked', { at: integer }),
  stored('operation', { key: text, order: text, inAmount: text, outAmount: text }, ['order', 'inAmount', 'outAmount']),
];
