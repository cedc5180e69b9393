import assert from 'node:assert/strict';
import { Keypair, PublicKey, SystemProgram, TransactionMessage } from '@solana/web3.js';
import nacl from 'tweetnacl';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { domainBytes, verifyDomain } from '../../core/protocol/identity/domains.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { ownerClaimText } from '../../core/protocol/identity/owner-claim.ts';
import { verify } from '../../core/protocol/identity/verify.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';

const seed = Uint8Array.from({ length: 32 }, (_, index) => index);
const identity = identityFromSeed(seed);
const network = defineNetwork({ name: 'test' });
const other = new PublicKey(new Uint8Array(32).fill(7));

describe('an identity', () => {
  it('has the key other tools derive from the same seed', () => {
    assert.deepEqual(identity.key, nacl.sign.keyPair.fromSeed(seed).publicKey);
    assert.equal(identity.address, Keypair.fromSeed(seed).publicKey.toBase58());
    assert.throws(() => identityFromSeed(new Uint8Array(31)), RangeError);
  });

  it('shows no secret', () => {
    assert.doesNotMatch(JSON.stringify(identity), /00,1,2,3|0001020304/);
    assert.deepEqual(Object.keys(identity).sort(), [
      'address',
      'key',
      'signAgentToken',
      'signDomain',
      'signEnvelope',
      'signTransaction',
      'unseal',
    ]);
  });

  it('signs the bodies of domains, for one network', () => {
    const fields = { body_hash: new Uint8Array(32).fill(1), time: 1_750_000_000 };
    const signature = identity.signDomain('heartbeat/1', network, fields);
    assert.equal(verifyDomain('heartbeat/1', network, fields, signature, identity.key), true);
    assert.equal(verifyDomain('latency/1', network, fields, signature, identity.key), false);
    assert.equal(verifyDomain('heartbeat/1', network, { ...fields, time: 1 }, signature, identity.key), false);
    const elsewhere = defineNetwork({ name: 'elsewhere' });
    assert.equal(verifyDomain('heartbeat/1', elsewhere, fields, signature, identity.key), false);
    assert.deepEqual(
      signature,
      nacl.sign.detached(domainBytes('heartbeat/1', network.id, fields), nacl.sign.keyPair.fromSeed(seed).secretKey),
    );
  });

  it('signs headers of its network only', () => {
    const header = new Uint8Array(143);
    header[0] = 1;
    assert.throws(() => identity.signEnvelope(network, header, new Uint8Array()), /speaks version 2/);
    assert.throws(() => identity.signEnvelope(network, new Uint8Array(142), new Uint8Array()), /143 bytes/);
  });
});

describe('the signer of transactions', () => {
  const signer = ledgerSigner(identity);
  const own = new PublicKey(identity.key);
  const transfer = SystemProgram.transfer({ fromPubkey: own, toPubkey: other, lamports: 1 });
  const blockhash = other.toBase58();

  it('signs legacy and version 0 messages that name its key as a signer', () => {
    const parts = new TransactionMessage({ payerKey: own, recentBlockhash: blockhash, instructions: [transfer] });
    const paidByOther = new TransactionMessage({
      payerKey: other,
      recentBlockhash: blockhash,
      instructions: [transfer],
    });
    for (const message of [
      parts.compileToLegacyMessage(),
      parts.compileToV0Message(),
      paidByOther.compileToV0Message(),
    ]) {
      const bytes = message.serialize();
      assert.equal(verify(bytes, signer.sign(bytes), identity.key), true);
    }
  });

  const header = new Uint8Array(143).fill(0);
  header[0] = 1;
  header.set(identity.key, 3);
  const refused: Record<string, Uint8Array> = {
    nothing: new Uint8Array(0),
    'a transaction of somebody else': new TransactionMessage({
      payerKey: other,
      recentBlockhash: blockhash,
      instructions: [SystemProgram.transfer({ fromPubkey: other, toPubkey: own, lamports: 1 })],
    })
      .compileToLegacyMessage()
      .serialize(),
    'a cut transaction': new TransactionMessage({ payerKey: own, recentBlockhash: blockhash, instructions: [transfer] })
      .compileToLegacyMessage()
      .serialize()
      .subarray(0, 60),
    'the body of a domain': domainBytes('owner/1', network.id, {
      agent_id: identity.key,
      owner: identity.key,
      nonce: new Uint8Array(8),
      expires: 1,
    }),
    'a version 1 envelope': header,
    'an agent token': Buffer.from('eyJhbGciOiJFZERTQSIsInR5cCI6ImFnZW50LW1lc2grand0In0.eyJpc3MiOiJhIn0'),
    'an owner claim': Buffer.from(
      ownerClaimText(network, {
        purpose: 'link',
        agentId: identity.key,
        key: identity.key,
        owner: identity.key,
        nonce: new Uint8Array(8),
        expires: 1,
      }),
    ),
    'a message longer than a transaction': new Uint8Array(2000).fill(1),
  };
  for (const [name, bytes] of Object.entries(refused)) {
    it(`refuses ${name}`, () => assert.throws(() => signer.sign(bytes), TypeError));
  }
});
