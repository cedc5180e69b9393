import bs58 from 'bs58';
import type { HistoryGap, SettlementEvent } from '../../../core/ledger/settlement-events.ts';
import { Answer } from '../answers.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type EventName, type ExecutedInstruction, eventsInInstructions } from '../program/index.ts';
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
  const truncated = meta.at('innerInstructions').isNull;
  const events = truncated ? [] : eventsInInstructions(programId, executed(transaction));
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

/** Every outer instruction, each followed by the inner ones under it. */
function executed(transaction: Answer): ExecutedInstruction[] {
  const [message, meta] = [transaction.at('transaction').at('message'), transaction.at('meta')];
  const loaded = meta.at('loadedAddresses');
  const more = loaded.isNull ? [] : ['writable', 'readonly'].flatMap((kind) => loaded.at(kind).list());
  const keys = [...message.at('accountKeys').list(), ...more].map((key) => key.text());
  const inner = meta.at('innerInstructions').list();
  const read = (instruction: Answer): ExecutedInstruction => ({
    programId: keys[instruction.at('programIdIndex').integer()] ?? '',
    data: bs58.decode(instruction.at('data').text()),
  });
  return message
    .at('instructions')
    .list()
    .flatMap((outer, index) => [
      read(outer),
      ...inner
        .filter((under) => under.at('index').integer() === index)
        .flatMap((under) => under.at('instructions').list().map(read)),
    ]);
}
