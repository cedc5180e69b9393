import type { HistoryGap, SettlementEvent } from '../../../core/ledger/settlement-events.ts';
import { Answer } from '../answers.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type EventName, eventsInLogs } from '../program/index.ts';
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

/** What a finalised transaction did under a config; undefined when the ledger does not have it. */
export async function readEvents(
  rpc: JsonRpc,
  signature: string,
  { programId, config, beginning }: EventSource,
): Promise<TransactionEvents | undefined> {
  const options = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const transaction = new Answer(await rpc.call('getTransaction', [signature, options]), 'getTransaction');
  if (transaction.isNull) return undefined;
  const meta = transaction.at('meta');
  if (!meta.at('err').isNull) return { entries: [], first: false };
  const slot = transaction.at('slot').integer();
  const logs = meta.at('logMessages');
  const { events, truncated } = logs.isNull
    ? { events: [], truncated: true }
    : eventsInLogs(
        logs.list().map((line) => line.text()),
        programId,
      );
  const feePayer = transaction.at('transaction').at('message').at('accountKeys').at(0).text();
  const time = transaction.at('blockTime').isNull ? 0 : transaction.at('blockTime').integer();
  const own = events.filter((event) => event.config === config);
  const entries: (SettlementEvent | HistoryGap)[] = own.flatMap((event, ordinal) => {
    const facts = eventFacts(event);
    return facts ? [{ ...facts, signature, ordinal, slot, time, feePayer }] : [];
  });
  if (truncated) entries.push({ name: 'gap', reason: 'truncated', slot, signature });
  return { entries, first: own.some(({ name }) => name === beginning) };
}
