/** ISO 8601 with the microseconds that a Date would lose. */
export function formatMicros(timestamp: number): string {
  const micros = String(timestamp % 1000).padStart(3, '0');
  return new Date(Math.floor(timestamp / 1000)).toISOString().replace('Z', `${micros}Z`);
}
