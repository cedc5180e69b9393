import { invalidField } from '../../contracts/errors.ts';
import type { CardCertificate, Signatures, SignedEnvelope, SignedHeartbeat } from '../../services.ts';

export interface FakeSignatures {
  /** The envelopes that hold, by their bytes as UTF-8. */
  readonly envelopes?: Readonly<Record<string, SignedEnvelope>>;
  /** Which heartbeats hold: all unless given. */
  readonly heartbeat?: (beat: SignedHeartbeat) => boolean;
  /** Which certificates of card keys hold: all unless given. */
  readonly cardKey?: (certificate: CardCertificate) => boolean;
}

/** `value(Signatures, fakeSignatures({ envelopes: { hello: { … } } }))`: verifies nothing. */
export function fakeSignatures({
  envelopes = {},
  heartbeat = () => true,
  cardKey = () => true,
}: FakeSignatures = {}): Signatures {
  return {
    async envelope(bytes, pointer = '') {
      const found = envelopes[Buffer.from(bytes).toString('utf8')];
      if (!found) throw invalidField(pointer, 'is not an envelope that holds');
      return found;
    },
    heartbeat: async (beat) => heartbeat(beat),
    cardKey: async (certificate) => cardKey(certificate),
  };
}
