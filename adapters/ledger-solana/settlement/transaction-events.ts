import type { HistoryGap, SettlementEvent } from '../../../core/protocol/settlement/events.ts';
import type { Answer } from '../answers.ts';
import { accountsOf, executedInstructions } from '../executed-instructions.ts';
import { type EventName, eventsInInstructions } from '../program/index.ts';
import { errorOf } from '../transfer-record.ts';
import { eventFacts } from './event-facts.ts';

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
