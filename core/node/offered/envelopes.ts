import { MeshError } from '../../contracts/errors.ts';
import { Mesh } from '../../internal-services.ts';
import type { RelaySlot } from '../../mesh/mesh-contract.ts';
import type { Carrier } from '../../messaging/fallback.ts';
import type { Clock as ClockValue } from '../../platform/clock.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { provider } from '../../provider.ts';
import { Clock, Envelopes, type SlotAtHub } from '../../services.ts';
import { Fallback, Recipients } from '../services/agents.ts';

/** Milliseconds that a send waits to learn whether its recipient is away, and an outbox until an envelope is left. */
const TO_KNOW = 1_000;
const TO_LEAVE = 15_000;

export const envelopesProvider = provider(Envelopes, {
  uses: { recipients: Recipients, fallback: Fallback, mesh: Mesh, clock: Clock },
  open: ({ recipients, fallback, mesh, clock }): Envelopes => ({
    rejoin: async () => named(await mesh.rejoin()),
    slot: () => named(mesh.slot()),
    receive: async (envelope, from) => (await recipients.receive(envelope, false, from)).reason,
    fallBackTo(carrier) {
      const bounded: Carrier = {
        waits: (recipient) => within(clock, TO_KNOW, carrier.waits(recipient)),
        leave: (letter) => within(clock, TO_LEAVE, carrier.leave(letter)),
      };
      if (!fallback.use(bounded))
        throw new MeshError('conflict', 'Another plugin takes the envelopes that cannot be delivered.');
      return () => fallback.end(bounded);
    },
  }),
});

function named(slot: RelaySlot | undefined): SlotAtHub | undefined {
  return slot && { hub: formatAgentId(slot.hub), roundTrip: slot.roundTrip };
}

function within<T>(clock: Pick<ClockValue, 'after'>, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
    work.then(resolve, reject).finally(cancel);
  });
}
