import { acceptanceOf, type DealRecord } from '../../../protocol/deals/record.ts';
import { offersOf } from '../../../protocol/deals/record-agreement.ts';
import { counted } from '../../../protocol/deals/record-ties.ts';
import type { StoredAgent } from '../../store/agents.ts';

type RoundTrip = NonNullable<StoredAgent['round_trip']>;

/**
 * From the payer's last word before the work, an offer or an ACCEPT, to the DELIVER that answers it. Each side signed its own
 * end. Undefined where the payer's offer is not known.
 */
export function roundTripOf(record: DealRecord, provider: string): RoundTrip | undefined {
  const made = acceptanceOf(record);
  const delivery = counted(record, record.deliveries, 'provider').find(({ by }) => by === provider);
  if (!made || !delivery) return undefined;
  const payer = record.pair.find((key) => key !== provider)!;
  const offers = offersOf(record).filter(({ by, at }) => by === payer && at <= made.at);
  const asked = made.by === payer ? made : (offers.find(({ id }) => id === made.offer) ?? offers.at(-1));
  if (!asked) return undefined;
  return {
    with: payer,
    conversation_id: record.conversation,
    envelope_id: delivery.id,
    asked: asked.at,
    answered: Math.max(asked.at, delivery.at),
  };
}

/** The agent with a round trip, unless a later one is known. */
export function withRoundTrip(agent: StoredAgent, trip: RoundTrip): StoredAgent {
  return (agent.round_trip?.answered ?? 0) > trip.answered ? agent : { ...agent, round_trip: trip };
}
