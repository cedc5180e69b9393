import { buildEnvelope, type EnvelopeFields } from '../../core/protocol/envelopes/build.ts';
import type { Envelope } from '../../core/protocol/envelopes/envelope.ts';
import { nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import type { MessageName } from '../../core/protocol/envelopes/message-types.ts';
import { defineNetwork, type Network } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';

export const network: Network = defineNetwork({ name: 'test' });
export const publicNetwork: Network = defineNetwork({ name: 'public', version: 1 });
export const alice = identityFromSeed(new Uint8Array(32).fill(1));
export const bob = identityFromSeed(new Uint8Array(32).fill(2));

/** Microseconds. */
export const NOW = 1_750_000_000_000_000;
export const EPOCH = 20_254;

/** A PROPOSE from alice to bob, or what `fields` make of it. */
export function envelopeOf(fields: Partial<EnvelopeFields> = {}, on: Network = network): Envelope {
  return buildEnvelope(
    {
      msgType: 'PROPOSE',
      recipient: bob.key,
      timestamp: NOW,
      blockRef: 7,
      nonce: nonceOf(EPOCH, 1),
      conversationId: new Uint8Array(16).fill(9),
      body: Buffer.from('body'),
      salt: new Uint8Array(16).fill(3),
      publicPart: { payer: alice.key, answers: answersOf(fields.msgType) },
      ...fields,
    },
    alice,
    on,
  );
}

/** Any id, where something has to be answered. */
function answersOf(msgType: MessageName = 'PROPOSE'): Uint8Array | undefined {
  return msgType === 'PROPOSE' ? undefined : new Uint8Array(32).fill(8);
}

export function broadcastOf(fields: Partial<EnvelopeFields> = {}, on: Network = network): Envelope {
  return envelopeOf({ msgType: 'BEACON', recipient: new Uint8Array(32), ...fields }, on);
}
