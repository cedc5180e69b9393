const CAPABILITY = /^[a-z0-9_-]{1,64}$/;

/** The capabilities among the words of an ADVERTISE: folded, sorted, each once. */
export function capabilitiesOf(words: readonly string[]): string[] {
  const folded = words.map((word) => word.trim().toLowerCase());
  return [...new Set(folded.filter((word) => CAPABILITY.test(word)))].sort();
}
