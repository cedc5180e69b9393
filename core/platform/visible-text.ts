/** Control characters, and those that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A stranger's text on one line of a terminal. Characters that would move the cursor, change text that stands there
 * already or begin a new line are spelt out, as in a string of JSON.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found) => SHORT[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for a text of several lines: its line feeds and tabs stay. */
export function visibleLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .split(/([\n\t])/)
    .map((part, place) => (place % 2 === 1 ? part : visible(part)))
    .join('');
}
