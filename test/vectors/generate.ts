// Writes the version 2 test vectors: `node --import ts-blank-space/register test/vectors/generate.ts`. A test compares them with what the code makes
// now, so that nothing on the wire changes unnoticed. envelope-v1.json is not generated: it comes from the public network.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromHex, toHex } from '../../core/platform/bytes.ts';
import { buildEnvelope, type EnvelopeFields } from '../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import type { Envelope } from '../../core/protocol/envelopes/envelope.ts';
import { nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { encodeHeader, envelopeId } from '../../core/protocol/envelopes/header.ts';
import { type MessageName, messageType } from '../../core/protocol/envelopes/message-types.ts';
import { payloadJson } from '../../core/protocol/envelopes/payloads/codec.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { envelopeSigningBytes } from '../../core/protocol/envelopes/signing.ts';
import { DOMAINS, type DomainName, domainBytes } from '../../core/protocol/identity/domains.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { encodeReceipt, receiptOf } from '../support/receipt.ts';
import { hash as ANSWERED, samplePayloads } from './samples.ts';

const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte);
const counted = (length: number) => Uint8Array.from({ length }, (_, index) => index);

const seed = counted(32);
const identity = identityFromSeed(seed);
const parts = { genesisHash: filled(32, 1), programId: filled(32, 2), configAddress: filled(32, 3) };
const network = defineNetwork({ name: 'test', ...parts });
const conversationId = counted(16);
const EPOCH = 20_254;

/** The contents of each generated file, by name. */
export function generateVectors(): Record<string, unknown> {
  return { 'envelope-v2.json': envelopes(), 'payloads.json': payloads(), 'domains.json': domains() };
}

const setting = {
  seed: toHex(seed),
  key: toHex(identity.key),
  address: identity.address,
  network: {
    name: network.name,
    genesis_hash: toHex(parts.genesisHash),
    program_id: toHex(parts.programId),
    config_address: toHex(parts.configAddress),
    id: toHex(network.id),
  },
};

function envelopes() {
  const samples = samplePayloads(2);
  const isNew = ({ msgType }: { msgType: MessageName }) => messageType(msgType).since === 2;
  const sealed = { msgType: 'DELIVER' as const, sealed: true, value: undefined };
  // New ones last, so that the sequence numbers of the others stay.
  const cases = [...samples.filter((sample) => !isNew(sample)), sealed, ...samples.filter(isNew)];
  return { ...setting, cases: cases.map((sample, index) => envelopeCase(sample, index + 1)) };
}

function envelopeCase(sample: { msgType: MessageName; value?: unknown; sealed?: boolean }, seq: number) {
  const { msgType, sealed = false } = sample;
  const bilateral = messageType(msgType).route === 'bilateral';
  const body = sealed ? counted(90) : codecOf(msgType, 2).encode(sample.value as never, identity.key);
  const fields: EnvelopeFields = {
    msgType,
    sealed,
    timestamp: 1_750_000_000_000_000 + seq,
    blockRef: 250_000_000,
    nonce: nonceOf(EPOCH, seq),
    body,
    conversationId,
    publicPart: { payer: identity.key, answers: msgType === 'PROPOSE' ? undefined : fromHex(ANSWERED, 32)! },
    ...(bilateral ? { recipient: filled(32, 0x22), salt: filled(16, 0x33) } : {}),
  };
  const envelope = buildEnvelope(fields, identity, network);
  const header = encodeHeader(envelope);
  return {
    msg_type: msgType,
    sealed,
    recipient: toHex(envelope.recipient),
    timestamp: envelope.timestamp,
    block_ref: envelope.blockRef,
    nonce: envelope.nonce,
    conversation_id: toHex(envelope.conversationId),
    payload: toHex(envelope.payload),
    ...shownOf(envelope),
    payload_hash: toHex(envelope.payloadHash),
    header: toHex(header),
    signed: toHex(envelopeSigningBytes(network, header, envelope.payload)),
    signature: toHex(envelope.signature),
    id: toHex(envelopeId(envelope)),
    cbor: toHex(encodeEnvelope(envelope)),
    receipt: toHex(encodeReceipt(receiptOf(envelope))),
    proof: toHex(proofBytesOf(envelope)),
  };
}

/** The two parts of deal messages, as a receipt shows them. */
function shownOf(envelope: Envelope) {
  const { parts } = receiptOf(envelope);
  return parts ? { public: toHex(parts.publicPart), private_hash: toHex(parts.privateHash) } : {};
}

function payloads() {
  const versions = [1, 2] as const;
  return versions.flatMap((version) =>
    samplePayloads(version).map(({ msgType, value }) => ({
      version,
      msg_type: msgType,
      value: payloadJson(value),
      body: toHex(codecOf(msgType, version).encode(value as never, identity.key)),
    })),
  );
}

function domains() {
  const names = Object.keys(DOMAINS) as DomainName[];
  return {
    ...setting,
    cases: names
      .filter((name) => name !== 'envelope/2')
      .map((name) => {
        const fields = sampleFields(name);
        return {
          domain: name,
          fields: Object.fromEntries(
            Object.entries(fields).map(([field, value]) => [field, typeof value === 'number' ? value : toHex(value)]),
          ),
          signed: toHex(domainBytes(name, network.id, fields as never)),
          signature: toHex(identity.signDomain(name, network, fields as never)),
        };
      }),
  };
}

/** Byte fields are filled with their place in the layout, numbers are a time or that place. */
function sampleFields(name: DomainName): Record<string, Uint8Array | number> {
  return Object.fromEntries(
    Object.entries(DOMAINS[name]).map(([field, kind], index) => {
      if (typeof kind === 'number') return [field, filled(kind, 0xa0 + index)];
      return [field, kind === 'u64' ? 1_750_000_000 : index + 1];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, content] of Object.entries(generateVectors())) {
    writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(content, null, 2)}\n`);
  }
}
