import { toHex } from '../../../core/platform/bytes.ts';
import type { EventFacts, HistoryGap, SettlementEvent } from '../../../core/protocol/settlement/events.ts';
import type { Answer } from '../answers.ts';
import { accountsOf, executedInstructions } from '../executed-instructions.ts';
import { type EventName, eventsInInstructions, NO_ADDRESS, type ProgramEvent, snakeCase } from '../program/index.ts';
import { SLASH_REASONS } from '../program/layout/events.ts';
import { errorOf } from '../transfer-record.ts';

export interface TransactionEvents {
  readonly entries: readonly (SettlementEvent | HistoryGap)[];
  /** Whether it has that event: nothing came before. */
  readonly first: boolean;
}

export interface EventSource {
  readonly programId: string;
  readonly config: string;
  /** The event that a whole history begins with. */
  readonly beginning: EventName;
}

/** The events of a finalised transaction under a config, from the instructions that ran: logs can be cut short. */
export function eventsOf(
  transaction: Answer,
  signature: string,
  { programId, config, beginning }: EventSource,
): TransactionEvents {
  if (!errorOf(transaction.at('meta')).isNull) return { entries: [], first: false };
  const slot = transaction.at('slot').natural();
  const executed = executedInstructions(transaction);
  if (!executed) return { entries: [{ name: 'gap', reason: 'truncated', slot, signature }], first: false };
  const feePayer = accountsOf(transaction)[0] ?? '';
  const time = transaction.at('blockTime').isNull ? 0 : transaction.at('blockTime').natural();
  const own = eventsInInstructions(programId, executed).filter((event) => event.config === config);
  const entries = own.flatMap((event, ordinal) => {
    const facts = eventFacts(event);
    return facts ? [{ ...facts, signature, ordinal, slot, time, feePayer }] : [];
  });
  return { entries, first: own.some(({ name }) => name === beginning) };
}

/** The u64 fields that are USDC; all others are moments, durations and epochs. */
const AMOUNTS: ReadonlySet<string> = new Set([
  ...['amount', 'bond', 'toProvider', 'toRequester', 'burnt', 'remaining'],
  ...['stake', 'bounty'],
]);

/** An event of the program in the words of the port; undefined for the making of the config itself. */
function eventFacts(event: ProgramEvent): EventFacts | undefined {
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
