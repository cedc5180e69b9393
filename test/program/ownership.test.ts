import assert from 'node:assert/strict';
import bs58 from 'bs58';
import {
  claimOwner,
  ed25519Instruction,
  type OwnerClaim,
  ownerLinkAddress,
  ownerStatement,
  ownerText,
  type ProgramInstruction,
} from '../../adapters/ledger-solana/program/index.ts';
import { keccak } from './support/envelopes.ts';
import { makeWallet, type Wallet } from './support/svm.ts';
import { World } from './support/world.ts';

describe('ownership', () => {
  const world = new World();
  const { svm, deployment, network } = world;
  const payer = world.wallet();
  const owner = makeWallet();

  function claimOf(key: Wallet, change: Partial<OwnerClaim> = {}): OwnerClaim {
    const expires = svm.now() + 100n;
    const nonce = Buffer.from('00a1ff3344556677', 'hex');
    return { network, key: key.address, agentId: key.address, owner: owner.address, nonce, expires, ...change };
  }

  function byOwner(claim: OwnerClaim, signer = owner): ProgramInstruction {
    const text = Buffer.from(ownerText(claim));
    return ed25519Instruction(signer.address, signer.sign(text), text);
  }

  function byKey(claim: OwnerClaim, key: Wallet): ProgramInstruction {
    const statement = ownerStatement(claim);
    return ed25519Instruction(key.address, key.sign(statement), statement);
  }

  function claims(key: Wallet, claim = claimOf(key)): ProgramInstruction[] {
    return [byOwner(claim), byKey(claim, key), claimOwner(deployment, key.address, payer.address)];
  }

  it('is written from both statements, by any payer, and fits a transaction', () => {
    const key = makeWallet();
    const agentId = makeWallet().address;
    const { events, bytes } = world.do(claims(key, claimOf(key, { agentId })), [payer]);
    const link = world.read('ownerLink', ownerLinkAddress(deployment, key.address));
    assert.deepEqual(
      [link.key, link.agentId, link.owner, link.claimedAt],
      [key.address, agentId, owner.address, svm.now()],
    );
    assert.deepEqual(events[0]?.values, { key: key.address, agentId, owner: owner.address });
    assert.ok(bytes <= 1232);
  });

  it('renders the same text as the client for any address, nonce and time', () => {
    for (let i = 0; i < 120; i++) {
      const key = makeWallet();
      const agent = keccak(Buffer.from(`agent ${i}`));
      agent.fill(0, 0, i % 5);
      if (i === 7) agent.fill(255);
      const expires = i % 3 === 0 ? 2n ** 64n - 1n - BigInt(i) : svm.now() + BigInt(i) ** 4n;
      const nonce = keccak(Buffer.from(`nonce ${i}`)).subarray(0, 8);
      const claim = claimOf(key, { agentId: bs58.encode(agent), expires, nonce });
      assert.ok(ownerText(claim).length <= 400);
      world.do(claims(key, claim), [payer]);
    }
  });

  it('cannot be replaced, not even by the same parties', () => {
    const key = makeWallet();
    world.do(claims(key), [payer]);
    const thief = makeWallet();
    const again = claimOf(key, { owner: thief.address });
    const steps = [byOwner(again, thief), byKey(again, key), claimOwner(deployment, key.address, payer.address)];
    world.refuse('alreadyExists', steps, [payer]);
    world.refuse('alreadyExists', claims(key), [payer]);
    assert.equal(world.read('ownerLink', ownerLinkAddress(deployment, key.address)).owner, owner.address);
  });

  it('needs both sides to have said the same', () => {
    const [key, other] = [makeWallet(), makeWallet()];
    const claim = claimOf(key);
    const step = claimOwner(deployment, key.address, payer.address);
    const differing: Partial<OwnerClaim>[] = [
      { agentId: other.address },
      { key: other.address },
      { nonce: Buffer.alloc(8) },
      { expires: claim.expires + 1n },
      { network: Buffer.alloc(32, 1) },
    ];
    for (const change of differing) {
      const said = { ...claim, ...change };
      const outcome = svm.send([byOwner(said), byKey(claim, key), step], [payer]);
      assert.ok(['wrongStatement', 'invalidProof'].includes(outcome.error ?? ''), outcome.error);
    }
    world.refuse('wrongAuthority', [byOwner(claim, other), byKey(claim, key), step], [payer]);
    const foreign = claimOf(key, { network: Buffer.alloc(32, 1) });
    world.refuse('wrongStatement', [byOwner(foreign), byKey(foreign, key), step], [payer]);
    const tagged = Buffer.from(ownerStatement(claim));
    tagged.write('2', tagged.indexOf('owner/1') + 6);
    const otherDomain = ed25519Instruction(key.address, key.sign(tagged), tagged);
    world.refuse('wrongStatement', [byOwner(claim), otherDomain, step], [payer]);
    world.refuse('invalidProof', [byKey(claim, key), byOwner(claim), step], [payer]);
    world.refuse('invalidProof', [byKey(claim, key), step], [payer]);
    world.refuse('invalidProof', [step], [payer]);
  });

  it('expires', () => {
    const key = makeWallet();
    world.refuse('expired', claims(key, claimOf(key, { expires: svm.now() - 1n })), [payer]);
    world.do(claims(key, claimOf(key, { expires: svm.now() })), [payer]);
  });
});
