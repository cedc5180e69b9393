/** Amounts that moved, summed by the quarter of an hour in which they did; oldest first. */
export interface SpendingWindow {
  readonly quarters: readonly { readonly from: number; readonly amount: string }[];
}

export const WINDOW_MS = 24 * 3_600_000;
const QUARTER_MS = 15 * 60_000;
/** How long a quarter is counted, from its beginning: its last spending counts for whole 24 hours. */
export const COUNTED_MS = WINDOW_MS + QUARTER_MS;
/** How long a window is stored after its last change: a clock that jumps ahead by less finds it again when it is back. */
export const KEPT_MS = 7 * WINDOW_MS;
/** A day has 97. Others are kept while there is room: a clock that jumped ahead and back finds what it had counted. */
const MOST_QUARTERS = 128;

export const EMPTY: SpendingWindow = { quarters: [] };

export function quarterOf(at: number): number {
  return at - (at % QUARTER_MS);
}

/** Minor units that count at that moment. */
export function spentIn(window: SpendingWindow, now: number): bigint {
  return counted(window, now).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

export function withSpent(window: SpendingWindow, now: number, amount: bigint): SpendingWindow {
  const at = quarterOf(now);
  const before = window.quarters.find(({ from }) => from === at)?.amount ?? '0';
  const others = window.quarters.filter(({ from }) => from !== at);
  const quarters = [...others, { from: at, amount: (BigInt(before) + amount).toString() }];
  return {
    quarters: bounded(
      quarters.sort((a, b) => a.from - b.from),
      now,
    ),
  };
}

/** The window less an amount that was counted in the quarter that began at `from`. */
export function withoutSpent(window: SpendingWindow, from: number, amount: bigint): SpendingWindow {
  return {
    quarters: window.quarters.flatMap((quarter) => {
      if (quarter.from !== from) return [quarter];
      const left = BigInt(quarter.amount) - amount;
      return left > 0n ? [{ from, amount: left.toString() }] : [];
    }),
  };
}

/** The moment from which at most `most` minor units count, when nothing more is spent. */
export function fallsTo(window: SpendingWindow, now: number, most: bigint): number {
  let left = spentIn(window, now);
  if (left <= most) return now;
  for (const { from, amount } of counted(window, now)) {
    left -= BigInt(amount);
    if (left <= most) return from + COUNTED_MS;
  }
  return now;
}

/** Oldest first. */
function counted({ quarters }: SpendingWindow, now: number): SpendingWindow['quarters'] {
  return quarters.filter(({ from }) => from + COUNTED_MS > now);
}

/** Too many quarters are made fewer by forgetting the oldest that does not count, and where all do, by counting the oldest longer. */
function bounded(quarters: SpendingWindow['quarters'], now: number): SpendingWindow['quarters'] {
  if (quarters.length <= MOST_QUARTERS) return quarters;
  if (quarters[0]!.from + COUNTED_MS <= now) return quarters.slice(1);
  const [first, second, ...rest] = quarters as [(typeof quarters)[number], (typeof quarters)[number]];
  return [{ from: second.from, amount: (BigInt(first.amount) + BigInt(second.amount)).toString() }, ...rest];
}
