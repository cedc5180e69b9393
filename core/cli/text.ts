import { readFileSync } from 'node:fs';
import { UsageError } from './command.ts';

/** Words of the command line, or with `-` what standard input has. */
export function textOf(word: string): string {
  const text = word === '-' ? readFileSync(0, 'utf8') : word;
  if (text.trim() === '') throw new UsageError('TEXT is empty');
  return text;
}
