import { MAX_USDC, parseUsdc, type TypedSchema, typed } from '../../core/plugin.ts';

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

/** Minor units of an amount that a schema has checked; one beyond all amounts is the largest, which no limit lets through. */
export function microOf(text: string): bigint {
  return parseUsdc(text) ?? MAX_USDC;
}
