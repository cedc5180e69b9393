const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export type Paint = (style: keyof typeof CODES, text: string) => string;

/** Gives what colours a text, where colours are shown. */
export function painter(shows: boolean | undefined): Paint {
  return shows ? (style, text) => `\u001B[${CODES[style]}m${text}\u001B[0m` : (_, text) => text;
}
