import { invalidField } from '../contracts/errors.ts';

interface Position {
  readonly key: string;
  readonly id: string;
}

/** A place in a page that clients hand back unread. */
export function encodeCursor({ key, id }: Position): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url');
}

export function decodeCursor(text: string | undefined, pointer: string): Position | undefined {
  if (text === undefined) return undefined;
  try {
    const [key, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    if (typeof key === 'string' && typeof id === 'string') return { key, id };
  } catch {
    // Falls through: whatever it was, it is no cursor of ours.
  }
  throw invalidField(pointer, 'is not a cursor of this list; take it from `next`');
}
