/** Writing what is nested deeper as JSON could run out of stack. */
const DEEPEST = 32;

/** Whether a value of JSON is nested no deeper than this plugin reads. */
export function isShallow(value: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((member) => isShallow(member, depth + 1));
}
