/** The outcome of reading bytes from outside: a value, or a short reason for logs. Decoders never throw. */
export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export function decoded<T>(value: T): Decoded<T> {
  return { ok: true, value };
}

export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
