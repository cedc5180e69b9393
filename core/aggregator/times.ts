/** ISO 8601 UTC, the one form in which moments leave the aggregator. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** When something was indexed, as text and as the Unix seconds that many clients read. */
export function momentOf(milliseconds: number): { readonly created_at: string; readonly ts: number } {
  return { created_at: isoTime(milliseconds), ts: Math.floor(milliseconds / 1000) };
}
