import { toHex } from '../../../core/platform/bytes.ts';
import type { EventFacts } from '../../../core/protocol/settlement/events.ts';
import { NO_ADDRESS, type ProgramEvent, snakeCase } from '../program/index.ts';
import { SLASH_REASONS } from '../program/layout/events.ts';

/** The u64 fields that are USDC; all others are moments, durations and epochs. */
const AMOUNTS: ReadonlySet<string> = new Set([
  ...['amount', 'bond', 'toProvider', 'toRequester', 'burnt', 'remaining'],
  ...['stake', 'bounty'],
]);

/** An event of the program in the words of the port; undefined for the making of the config itself. */
export function eventFacts(event: ProgramEvent): EventFacts | undefined {
  if (event.name === 'configInitialized') return undefined;
  const facts = Object.entries(event.values).map(([field, value]) => [field, portValue(field, value)]);
  return { name: snakeCase(event.name), ...Object.fromEntries(facts) } as EventFacts;
}

function portValue(field: string, value: unknown): unknown {
  if (field === 'reason') return snakeCase(SLASH_REASONS[value as number] ?? 'none');
  if (field === 'notary' && value === NO_ADDRESS) return null;
  if (field === 'forProvider') return value === 1;
  if (value instanceof Uint8Array) return toHex(value);
  return typeof value === 'bigint' && !AMOUNTS.has(field) ? Number(value) : value;
}
