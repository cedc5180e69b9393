/**
 * Spaces of core that a plugin could be named after, and would then read and write. Names with an underscore need no entry, since
 * no plugin has one.
 */
export const CORE_SPACES: readonly string[] = ['aggregator', 'core', 'ledger', 'node', 'store'];

const DECLARED = /^[a-z][a-z0-9_-]{0,63}$/;
const MAX_ID_LENGTH = 4096;
/** The ids most things have; no other check is needed of them. */
const PLAIN = /^[\x20-\x7e]+$/;

/** The name of a space or a declaration: short, so that stored names stay readable and cannot collide. */
export function checkName(name: string): string {
  if (!DECLARED.test(name)) {
    throw new TypeError(
      `a name is lower-case letters, digits, "-" and "_", up to 64 characters, not ${JSON.stringify(name)}`,
    );
  }
  return name;
}

/** An id may hold any character but NUL, as long as it is Unicode. */
export function checkId(id: string): string {
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH || !(PLAIN.test(id) || isUnicode(id))) {
    throw new TypeError(`an id is Unicode text of 1 to ${MAX_ID_LENGTH} characters without NUL`);
  }
  return id;
}

function isUnicode(id: string): boolean {
  return id !== '' && !/\0|\p{Surrogate}/u.test(id);
}
