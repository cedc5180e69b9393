export const AGENT_ID = { description: 'The id of an agent, base58.', type: 'string', minLength: 32, maxLength: 44 };
export const CONVERSATION = {
  description: 'The id of the deal, 32 hex digits.',
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
};
export const USDC = {
  description: 'USDC as decimal text, such as "1.5".',
  type: 'string',
  pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})?$',
};
export const LIMIT = { type: 'integer', minimum: 1, maximum: 50, default: 20 };
export const WAIT = {
  description: 'Seconds to wait for something new, at most 25; the answer then says whether the time ran out.',
  ...{ type: 'integer', minimum: 0, maximum: 25, default: 0 },
};
export const OPERATION = {
  description: 'The same key again gives the first answer and does nothing twice, for 24 hours.',
  ...{ type: 'string', minLength: 1, maxLength: 200, pattern: '^[!-~]+$' },
};
export const text = (description: string, maxLength: number) => ({ description, type: 'string', maxLength });
