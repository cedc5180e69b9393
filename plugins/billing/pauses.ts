const MINUTE = 60_000;

/** An address is looked at often while somebody may be about to pay, and ever more rarely later. */
export function pauseOf({ asked }: { readonly asked: number }, now: number): number {
  const age = now - asked;
  if (age < 10 * MINUTE) return 3_000;
  if (age < 60 * MINUTE) return 10_000;
  return age < 24 * 60 * MINUTE ? MINUTE : 10 * MINUTE;
}
