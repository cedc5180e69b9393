import { type TypedSchema, typed } from '../../core/plugin.ts';

export interface McpConfig {
  readonly confirmAbove: string;
  readonly confirmAbovePerDay: string;
}

const usdc = (description: string, value: string) => ({
  ...{ description, type: 'string', pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,6})?$' },
  ...{ default: value, examples: [value] },
});

export const config: TypedSchema<McpConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    confirmAbove: usdc('USDC that one call may promise or move without a confirmation by a person.', '1'),
    confirmAbovePerDay: usdc('The same for all that is moved in one day (UTC).', '10'),
  },
});

/** Minor units of such a text. */
export function microOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

/** The shortest text of minor units. */
export function usdcText(micro: bigint): string {
  const part = String(micro % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${micro / 1_000_000n}${part && `.${part}`}`;
}
