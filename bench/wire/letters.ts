import { randomBytes } from 'node:crypto';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { buildEnvelope, payloadMatches } from '../../core/protocol/envelopes/build.ts';
import { checkHeader } from '../../core/protocol/envelopes/check.ts';
import { decodeEnvelope, encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { epochOf, nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { encodeHeader } from '../../core/protocol/envelopes/header.ts';
import { envelopeSigningBytes } from '../../core/protocol/envelopes/signing.ts';
import { defineNetwork, type Network } from '../../core/protocol/identity/network.ts';
import { type Identity, identityFromSeed } from '../../core/protocol/signer/identity.ts';

const BODY = 300;
const CONVERSATION = new Uint8Array(16).fill(7);

/** What both sides of the comparison do with an envelope besides moving it: the same code for both. */
export class Letters {
  readonly identity: Identity;
  readonly network: Network = defineNetwork({ name: 'bench' });
  readonly #verifier = new Verifier();
  readonly #body = randomBytes(BODY);
  readonly #salt = randomBytes(16);
  #written = 0;

  constructor(seed: number) {
    this.identity = identityFromSeed(new Uint8Array(32).fill(seed));
  }

  /** A signed envelope with a body of 300 bytes. */
  write(recipient: Uint8Array): Uint8Array {
    this.#written += 1;
    const timestamp = Date.now() * 1_000;
    const envelope = buildEnvelope(
      {
        msgType: 'DELIVER',
        recipient,
        timestamp,
        blockRef: 0,
        nonce: nonceOf(epochOf(timestamp, this.network.epochSecs), this.#written),
        conversationId: CONVERSATION,
        body: this.#body,
        publicPart: { payer: recipient, answers: recipient },
        salt: this.#salt,
      },
      this.identity,
      this.network,
    );
    return encodeEnvelope(envelope);
  }

  /** Whether it is an envelope to us, in time and signed by its sender. */
  async judge(bytes: Uint8Array): Promise<boolean> {
    const decoded = decodeEnvelope(bytes);
    if (!decoded.ok) return false;
    const envelope = decoded.value;
    const header = checkHeader(envelope, {
      network: this.network,
      now: Date.now(),
      isRecipient: (key) => Buffer.compare(key, this.identity.key) === 0,
      forwarded: false,
    });
    if (header.reason !== 'accepted' || !payloadMatches(envelope)) return false;
    const signed = envelopeSigningBytes(this.network, encodeHeader(envelope), envelope.payload);
    return this.#verifier.verify(signed, envelope.signature, envelope.sender);
  }
}

/** As long as an envelope of `Letters`, and nothing to check in it. */
export const OPAQUE: Uint8Array = randomBytes(new Letters(1).write(new Uint8Array(32).fill(1)).length);

/** Its first byte says which it is: the envelopes of `Letters` begin with another. */
OPAQUE[0] = 0;
