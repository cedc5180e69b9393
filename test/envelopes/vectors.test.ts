import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import nacl from 'tweetnacl';
import { fromHex, toHex } from '../../core/platform/bytes.ts';
import { buildEnvelope } from '../../core/protocol/envelopes/build.ts';
import { decodeEnvelope, encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { encodeHeader, envelopeId } from '../../core/protocol/envelopes/header.ts';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { type MessageName, messageType } from '../../core/protocol/envelopes/message-types.ts';
import { payloadJson } from '../../core/protocol/envelopes/payloads/codec.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { decodeReceipt, verifyReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { envelopeSigningBytes } from '../../core/protocol/envelopes/signing.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { verifyEnvelope } from '../support/verify-envelope.ts';
import { generateVectors } from '../vectors/generate.ts';

const load = (file: string) => JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8'));
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

describe('the version 1 vectors of the public network', () => {
  const vectors = load('envelope-v1.json');
  const network = defineNetwork({ name: 'public', version: 1 });
  const identity = identityFromSeed(bytes(vectors.seed));

  it('name the key', () => {
    assert.equal(toHex(identity.key), vectors.key);
    assert.equal(identity.address, vectors.address);
  });

  it('are what we sign, write and read', () => {
    const wanted = vectors.envelope;
    const envelope = buildEnvelope(
      {
        msgType: wanted.msg_type,
        recipient: bytes(wanted.recipient),
        timestamp: wanted.timestamp,
        blockRef: wanted.block_ref,
        nonce: wanted.nonce,
        conversationId: bytes(wanted.conversation_id),
        body: bytes(wanted.payload),
      },
      identity,
      network,
    );
    assert.equal(envelopeSigningBytes(network, encodeHeader(envelope), envelope.payload).length, wanted.signed_length);
    assert.equal(toHex(envelope.payloadHash), wanted.payload_hash);
    assert.equal(toHex(envelope.signature), wanted.signature);
    assert.equal(toHex(encodeEnvelope(envelope)), wanted.cbor);
    const read = decodeEnvelope(bytes(wanted.cbor));
    assert.deepEqual(read, { ok: true, value: envelope });
    assert.equal(verifyEnvelope(envelope, network), true);
    assert.equal(toHex(keccak256(new Uint8Array([0]), bytes(wanted.cbor))), wanted.leaf);
  });

  it('have our payloads and hashes', () => {
    const conversation_id = '000102030405060708090a0b0c0d0e0f';
    const values: Partial<Record<MessageName, object>> = {
      PROPOSE: { amount_usdc_micro: 2_000_000n, max_rounds: 2, message: 'hi' },
      FEEDBACK: { conversation_id, target_agent: '22'.repeat(32), score: -42, outcome: 0, is_dispute: false, role: 0 },
      DELIVER: { conversation_id, inline_b64: 'b2s=' },
    };
    for (const [name, value] of Object.entries(values)) {
      assert.equal(toHex(codecOf(name as MessageName, 1).encode(value as never, identity.key)), vectors.payloads[name]);
    }
    for (const [input, hash] of Object.entries(vectors.keccak256)) assert.equal(toHex(keccak256(bytes(input))), hash);
  });
});

describe('the version 2 vectors', () => {
  const { seed, network: parts, cases } = load('envelope-v2.json');
  const network = defineNetwork({
    name: parts.name,
    genesisHash: bytes(parts.genesis_hash),
    programId: bytes(parts.program_id),
    configAddress: bytes(parts.config_address),
  });
  const pair = nacl.sign.keyPair.fromSeed(bytes(seed));

  it('agree with those made by other implementations of hash and signature', () => {
    const payload = '80841e000000000000000000000000007b226d61785f726f756e6473223a322c226d657373616765223a226869227d';
    const identity = identityFromSeed(bytes(seed));
    // Of before payloads of deals were hashed in two parts: the header and its signature are what they were.
    const header = {
      version: 2,
      msgType: 'PROPOSE',
      sealed: false,
      sender: identity.key,
      recipient: new Uint8Array(32).fill(0x22),
      timestamp: 1_750_000_000_000_000,
      blockRef: 250_000_000,
      nonce: 84_951_433_217,
      conversationId: fromHex('000102030405060708090a0b0c0d0e0f', 16)!,
      payloadHash: keccak256(bytes(payload)),
      payloadLength: payload.length / 2,
    } as const;
    const signature = identity.signEnvelope(network, encodeHeader(header), new Uint8Array(0));
    assert.equal(toHex(network.id), 'f2263e8d55dc89ea53ec1f769cbdaabf0b377f3588becaa3b9a1e1bfbd6d40e8');
    assert.equal(
      toHex(encodeHeader(header)),
      '02000303a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b822222222222222222222222222222222222222222222222222222222222222220006379da05b6000000000000ee6b28000000013c7800001000102030405060708090a0b0c0d0e0f02d2b583b37581227f9c570231539ddfedb25ef4a3e5e5b740c9917c918d251d0000002f',
    );
    assert.equal(
      toHex(signature),
      'dfb5edf870862dd139fc2572aeb9348b058fc8c83ac961854178adf41e6cc20e9cfde714ab36b144f81c058d47ae14f6ccb4a045b95b7bfd69f02378668c100f',
    );
    assert.equal(toHex(envelopeId(header)), '66c673539e8fab6625c583adcddb5a84bb1a3b010abfd584391d5b4a856b3db0');
    assert.equal(
      toHex(envelopeId({ ...header, nonce: header.nonce + 2 })),
      '2476df227376d4b86ec94e18998ed78e6632e3a3c9a409202b3a59b1d2226a8a',
    );
  });

  it('are what the code makes today', () => {
    for (const [file, content] of Object.entries(generateVectors())) {
      assert.deepEqual(
        load(file),
        JSON.parse(JSON.stringify(content)),
        `${file} is stale: run test/vectors/generate.ts`,
      );
    }
  });

  for (const [index, wanted] of cases.entries()) {
    it(`${index + 1}, ${wanted.sealed ? 'sealed ' : ''}${wanted.msg_type}, holds together`, () => {
      const read = decodeEnvelope(bytes(wanted.cbor));
      assert.ok(read.ok);
      const envelope = read.value;
      assert.equal(envelope.msgType, wanted.msg_type);
      assert.equal(envelope.sealed, wanted.sealed);
      assert.equal(toHex(envelope.payload), wanted.payload);
      assert.equal(envelope.nonce, wanted.nonce);
      assert.equal(toHex(encodeHeader(envelope)), wanted.header);
      assert.equal(toHex(envelopeId(envelope)), wanted.id);
      assert.equal(toHex(encodeEnvelope(envelope)), wanted.cbor);
      assert.equal(verifyEnvelope(envelope, network), true);
      const tag = `ff${Buffer.from('agent-mesh/envelope/2').toString('hex')}00`;
      assert.equal(wanted.signed, tag + parts.id + wanted.header);
      assert.equal(nacl.sign.detached.verify(bytes(wanted.signed), bytes(wanted.signature), pair.publicKey), true);
      const receipt = decodeReceipt(bytes(wanted.receipt));
      assert.ok(receipt.ok && verifyReceipt(receipt.value, network));
      const proof = decodeReceipt(bytes(wanted.proof));
      assert.ok(proof.ok && verifyReceipt(proof.value, network));
      if (!wanted.public) return assert.equal(wanted.proof, wanted.receipt);
      assert.equal(wanted.payload.startsWith(wanted.public), true);
      const [shown, hidden] = [bytes(wanted.public), bytes(wanted.private_hash)];
      assert.equal(toHex(keccak256(bytes(wanted.payload.slice(wanted.public.length)))), wanted.private_hash);
      assert.equal(toHex(keccak256(keccak256(shown), hidden)), wanted.payload_hash);
    });
  }

  it('salt every private payload and no other', () => {
    for (const wanted of cases) {
      const bilateral = messageType(wanted.msg_type).route === 'bilateral';
      const behind = wanted.payload.slice((wanted.public ?? '').length);
      assert.equal(behind.startsWith('33'.repeat(16)), bilateral, wanted.msg_type);
    }
  });
});

describe('the vectors of payloads and domains', () => {
  it('are read back to their values', () => {
    const key = bytes(load('domains.json').key);
    for (const { version, msg_type, value, body } of load('payloads.json')) {
      const read = codecOf(msg_type as MessageName, version).decode(bytes(body), key);
      assert.ok(read.ok, `${msg_type}: ${read.ok ? '' : read.reason}`);
      assert.deepEqual(payloadJson(read.value), value);
    }
  });

  it('are signed by the key they name', () => {
    const { key, cases } = load('domains.json');
    assert.equal(cases.length, 9);
    for (const { signed, signature } of cases) {
      assert.equal(nacl.sign.detached.verify(bytes(signed), bytes(signature), bytes(key)), true);
    }
  });
});
