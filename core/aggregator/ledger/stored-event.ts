import type { HistoryGap, SettlementEvent } from '../../protocol/settlement/events.ts';
import type { StoredLedgerEvent } from '../store/ledger.ts';

const PLACE = new Set(['name', 'signature', 'ordinal', 'slot', 'time']);
const NAMES: Readonly<Record<string, string>> = { conversation: 'conversation_id', id: 'envelope_id' };

/** An entry of the history as it is stored: moments in milliseconds, amounts as digits, names in snake_case. */
export function storedEvent(entry: SettlementEvent | HistoryGap, now: number): StoredLedgerEvent {
  const { name, signature, slot } = entry;
  if (name === 'gap') return { name, signature, ordinal: 0, slot, at: now, facts: { reason: entry.reason } };
  const facts = Object.entries(entry).flatMap(([field, value]) =>
    PLACE.has(field) || value === null ? [] : [[NAMES[field] ?? snakeCase(field), plain(value)]],
  );
  return { name, signature, ordinal: entry.ordinal, slot, at: entry.time * 1000, facts: Object.fromEntries(facts) };
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
