import { visible } from '../platform/visible-text.ts';

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export type Paint = (style: keyof typeof CODES, text: string) => string;

const OWN = new RegExp(`(\u001B\\[(?:0|${Object.values(CODES).join('|')})m|[\n\t])`);

/**
 * What a command prints, without what strangers may have put into it to move the cursor or to change what stands there: it
 * keeps its lines and the colours of a painter.
 */
export function harmless(text: string): string {
  // Every other part is what was split at.
  return text
    .split(OWN)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');
}

/** Gives what colours a text, where colours are shown. */
export function painter(shows: boolean | undefined): Paint {
  return shows ? (style, text) => `\u001B[${CODES[style]}m${text}\u001B[0m` : (_, text) => text;
}
