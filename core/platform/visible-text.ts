/** Control characters, and those that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text of anybody on one line of a terminal: what would move the cursor, change what stands there already or begin a line
 * that nobody wrote is spelt out, as in a string of JSON.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found) => SHORT[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
