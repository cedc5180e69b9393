/** ISO 8601 UTC, the one form in which moments leave the aggregator. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
