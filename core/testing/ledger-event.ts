import { SPACE } from '../aggregator/providers.ts';
import { ExtensionPoints, Store } from '../internal-services.ts';
import type { LedgerEvent, LedgerEventName, Token } from '../plugin.ts';
import type { EventPlace } from '../protocol/settlement/events.ts';
import { Clock } from '../services.ts';

/** An event without the place where it stands; members of the place may be given. */
export type EventFactsOf<N extends LedgerEventName> = Omit<LedgerEvent<N>, keyof EventPlace | 'name'> &
  Partial<EventPlace>;

let sequence = 0;

/** Hands an event of the settlement program to the parts of plugins, in a transaction as the reader of the ledger does. */
export async function ledgerEvent<N extends LedgerEventName>(
  get: <T>(token: Token<T>) => T,
  name: N,
  facts: EventFactsOf<N>,
): Promise<void> {
  sequence += 1;
  const place = { signature: `test-${sequence}`, ordinal: 0, slot: sequence, feePayer: 'nobody' };
  const time = Math.floor(get(Clock).now() / 1_000);
  const event = { name, ...place, time, ...facts } as unknown as LedgerEvent;
  const guests = get(ExtensionPoints).reading(event);
  if (!guests) return;
  await get(Store)
    .space(SPACE)
    .txBeside([], guests.beside, (_, others) => void guests.apply(others));
  guests.over();
}
