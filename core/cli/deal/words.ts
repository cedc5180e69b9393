import { UsageError, type Word } from '../command.ts';

/** The word that names a deal. */
export const CONVERSATION: Word = { name: 'CONVERSATION', summary: 'the deal; mesh deals lists them' };

export function conversationOf(text: string): string {
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(`CONVERSATION takes a deal's id of 32 hex digits, not ${text}; mesh deals lists them`);
}
