const MINUTE = 60_000;

/**
 * The pause before an address is looked at by itself again: short while somebody may be about to pay. Undefined after an hour, when the
 * round over all addresses finds what comes.
 */
export function pauseOf({ asked }: { readonly asked: number }, now: number): number | undefined {
  const age = now - asked;
  if (age < 10 * MINUTE) return 3_000;
  return age < 60 * MINUTE ? 10_000 : undefined;
}
