/** The adapter of a name; throws with the names there are. */
export function choose<T>(kind: string, name: string, from: Readonly<Record<string, T>>): T {
  if (Object.hasOwn(from, name)) return from[name]!;
  throw new Error(`there is no ${kind} adapter "${name}"; use one of ${Object.keys(from).join(', ')}`);
}
