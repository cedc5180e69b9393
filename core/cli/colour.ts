import { visible } from '../platform/visible-text.ts';

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export type Paint = (style: keyof typeof CODES, text: string) => string;

const OWN = new RegExp(`(\u001B\\[(?:0|${Object.values(CODES).join('|')})m|[\n\t])`);

/**
 * Makes control characters visible in a command's output, so that strangers' text cannot move the cursor or overwrite
 * lines. Line breaks, tabs and the colours of a painter stay.
 */
export function harmless(text: string): string {
  // Every other part is what was split at.
  return text
    .split(OWN)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');
}

/** A function that colours a text; it leaves texts plain unless colours are shown. */
export function painter(shows: boolean | undefined): Paint {
  return shows ? (style, text) => `\u001B[${CODES[style]}m${text}\u001B[0m` : (_, text) => text;
}
