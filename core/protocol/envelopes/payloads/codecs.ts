import { toHex } from '../../../platform/bytes.ts';
import { type Decoded, decoded, refused } from '../../../platform/decoded.ts';
import type { EnvelopeVersion } from '../../identity/network.ts';
import { bodyOf, type Envelope, publicPartOf } from '../envelope.ts';
import type { MessageName } from '../message-types.ts';
import { beaconPayload, beaconPayloadV1 } from './beacon.ts';
import { broadcastPayload } from './broadcast.ts';
import type { PayloadCodec } from './codec.ts';
import { deliverPayload } from './deliver.ts';
import { advertisePayload, bountyPayload, discoverPayload } from './discovery.ts';
import { feedbackPayload } from './feedback.ts';
import { messagePayload } from './message.ts';
import { acceptPayload, counterPayload, proposePayload } from './negotiation.ts';
import { notarizeAssignPayload, notarizeBidPayload } from './notarize.ts';
import type { Payloads, TypedPayload } from './payloads.ts';
import { disputePayload, rejectPayload } from './reasons.ts';
import { verdictPayload, verdictPayloadV1 } from './verdict.ts';

type Codecs = { readonly [N in MessageName]: PayloadCodec<Payloads[N]> };

const codecs: Readonly<Record<EnvelopeVersion, Codecs>> = {
  1: { ...codecsOf(1), BEACON: beaconPayloadV1, VERDICT: verdictPayloadV1 },
  2: codecsOf(2),
};

/** How a message type's payload is written in an envelope version. */
export function codecOf<N extends MessageName>(msgType: N, version: EnvelopeVersion): PayloadCodec<Payloads[N]> {
  return codecs[version][msgType];
}

/**
 * The typed payload of an envelope. In version 2 a payload that names a conversation must name the envelope's own,
 * and an ACCEPT must name the offer that its public part names. The caller opens the body of a sealed envelope and
 * passes it as `opened`.
 */
export function decodePayload(envelope: Envelope, opened?: Uint8Array): Decoded<TypedPayload> {
  const { msgType, version, sender } = envelope;
  if (envelope.sealed && !opened) return refused('sealed');
  const found = codecs[version][msgType].decode(opened ?? bodyOf(envelope), sender);
  if (!found.ok) return found;
  const payload = { msgType, value: found.value } as TypedPayload;
  if (version === 2 && namesAnotherConversation(payload, envelope)) return refused('names another conversation');
  if (version === 2 && namesAnotherOffer(payload, envelope)) return refused('names another offer than its public part');
  return decoded(payload);
}

function namesAnotherConversation(payload: TypedPayload, envelope: Envelope): boolean {
  switch (payload.msgType) {
    case 'DELIVER':
    case 'FEEDBACK':
    case 'NOTARIZE_BID':
    case 'BOUNTY':
      return payload.value.conversation_id !== toHex(envelope.conversationId);
    default:
      return false;
  }
}

function namesAnotherOffer({ msgType, value }: TypedPayload, envelope: Envelope): boolean {
  if (msgType !== 'ACCEPT') return false;
  const { answers } = publicPartOf(envelope)!;
  return !answers || value.offer_id !== toHex(answers);
}

function codecsOf(version: EnvelopeVersion): Codecs {
  return {
    ADVERTISE: advertisePayload,
    DISCOVER: discoverPayload,
    PROPOSE: proposePayload(version),
    COUNTER: counterPayload(version),
    ACCEPT: acceptPayload(version),
    REJECT: rejectPayload,
    DELIVER: deliverPayload,
    NOTARIZE_BID: notarizeBidPayload,
    NOTARIZE_ASSIGN: notarizeAssignPayload,
    VERDICT: verdictPayload,
    FEEDBACK: feedbackPayload,
    DISPUTE: disputePayload(version),
    BEACON: beaconPayload,
    BROADCAST: broadcastPayload(version),
    BOUNTY: bountyPayload,
    MESSAGE: messagePayload,
  };
}
