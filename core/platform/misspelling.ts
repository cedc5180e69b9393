import { editDistance } from './edit-distance.ts';

const SHORTEST = 4;

/**
 * Which of the known names a given one probably means: one or two slips of the finger away, or its first words, as
 * `amount` of `amount_usdc`. A longer name that begins with a known one says something else: `notary_fee` is no `notary`.
 */
export function misspelt(given: string, known: readonly string[]): string | undefined {
  const name = folded(given);
  if (name.length < SHORTEST || name.length > 64) return undefined;
  const slips = name.length > 6 ? 2 : 1;
  return known.find((one) => {
    const other = folded(one);
    return editDistance(name, other) <= slips || (other.startsWith(name) && one.toLowerCase()[given.length] === '_');
  });
}

/** A name as it is compared: `conversationId`, `Conversation-Id` and `conversation_id` are one. */
export function folded(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}
