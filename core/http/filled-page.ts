/** Bytes of a file with facts at most: it is read whole. */
export const MOST_FILLED = 64 * 1024;

const HOLE = /\{\{(\.|[\w.]{1,128})\}\}/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const UNKNOWN = '\u2013';

/** A page with facts in its holes, as text: nothing of them is markup. */
export function filledPage(page: string, facts: unknown): string {
  return page.replace(HOLE, (_, path: string) => inMarkup(path === '.' ? wholeOf(facts) : textAt(facts, path)));
}

function wholeOf(facts: unknown): string {
  return facts === undefined ? '' : JSON.stringify(facts);
}

function textAt(facts: unknown, path: string): string {
  let value = facts;
  for (const name of path.split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : UNKNOWN;
}

function inMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ENTITIES[one]!);
}
