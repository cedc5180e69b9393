import { spendingWindow } from '../../core/plugin.ts';

/** Amounts by the hour, as they were stored until 26 November 2026. */
interface Hours {
  readonly hours: readonly { readonly from: number; readonly minor: string }[];
}

type Window = spendingWindow.SpendingWindow;
export type StoredWindow = Window | Hours;

const LAST_QUARTER_MS = 45 * 60_000;

/** Amounts of the last 24 hours. One of an hour counts as if it had moved in the last quarter of it, so none counts for less than it should. */
export function windowOf(found: StoredWindow | undefined): Window {
  if (found === undefined) return spendingWindow.EMPTY;
  if ('quarters' in found) return found;
  const quarters = found.hours.map(({ from, minor }) => ({ from: from + LAST_QUARTER_MS, amount: minor }));
  return { quarters: quarters.sort((a, b) => a.from - b.from) };
}
