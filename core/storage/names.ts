const DECLARED = /^[a-z][a-z0-9_-]{0,63}$/;
const MAX_ID_LENGTH = 4096;

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
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH || /\0|\p{Surrogate}/u.test(id)) {
    throw new TypeError(`an id is Unicode text of 1 to ${MAX_ID_LENGTH} characters without NUL`);
  }
  return id;
}
