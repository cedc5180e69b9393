/** Minor units by the hour in which they moved: what counts of the last 24 hours. */
export interface Hours {
  readonly hours: readonly { readonly from: number; readonly minor: string }[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long an hour counts, from its beginning: its last amount counts for whole 24 hours. */
export const COUNTED_MS = DAY_MS + HOUR_MS;
/** A day has 25; more come only from a clock that jumps. */
const MOST = 26;

/** Those that still count. */
export function counting(found: Hours | undefined, now: number): Hours {
  return { hours: (found?.hours ?? []).filter(({ from }) => from > now - COUNTED_MS) };
}

export function sumOf({ hours }: Hours): bigint {
  return hours.reduce((sum, { minor }) => sum + BigInt(minor), 0n);
}

export function withAmount({ hours }: Hours, now: number, amount: bigint): Hours {
  const from = hourOf(now);
  const before = BigInt(hours.find((hour) => hour.from === from)?.minor ?? 0);
  const others = hours.filter((hour) => hour.from !== from);
  return { hours: [...others, { from, minor: (before + amount).toString() }].slice(-MOST) };
}

/** Without an amount that was counted at `at`. */
export function withoutAmount(found: Hours | undefined, at: number, amount: bigint): Hours {
  const from = hourOf(at);
  return {
    hours: (found?.hours ?? []).map((hour) => {
      const left = BigInt(hour.minor) - amount;
      return hour.from === from ? { from, minor: (left > 0n ? left : 0n).toString() } : hour;
    }),
  };
}

function hourOf(at: number): number {
  return at - (at % HOUR_MS);
}
