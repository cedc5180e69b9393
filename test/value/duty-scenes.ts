import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { Identity, Network } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { aggregatorArchive } from '../../core/node/behavior/aggregator-archive.ts';
import { Batches } from '../../core/node/services/behavior.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { heldHeaders } from '../../core/node/watch/held-headers.ts';
import { toHex } from '../../core/platform/bytes.ts';
import { signLeafList } from '../../core/protocol/batches/leaf-list.ts';
import type { SignedHeader } from '../../core/protocol/envelopes/envelope.ts';
import { epochOfNonce, seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import { signerOf } from '../ledger/bench.ts';
import { stake } from '../node/behavior/support.ts';
import type { Member } from '../support/mesh.ts';
import { ownerScenes } from './owner-scenes.ts';
import { USDC, type World } from './world.ts';

const STAKE = 40n * USDC;

/** What Alice and Bob owe for their stakes, and what comes of not doing it. */
export function dutyScenes(world: World): void {
  /** What Walter holds of an agent that has just written to him. */
  async function said(member: Member): Promise<SignedHeader> {
    const offer = { recipient: world.walter.id, amount_usdc: '1', message: 'Hello.' };
    const { nonce } = await member.client.propose(offer);
    return world.eventually(`Walter holds what ${member.name} said`, async () => {
      const space = world.walter.node.get(NodeSpace);
      for await (const header of heldHeaders(space, member.id, epochOfNonce(nonce)))
        if (header.nonce === nonce) return header;
      return undefined;
    });
  }

  /** Slashed by half, of which half went to Walter; told by everybody who tells anything. */
  async function slashed(member: Member, reason: string, before: bigint): Promise<void> {
    const { walter } = world;
    const event = await world.event('agent_slashed', `agent_id=${member.id}`);
    const { beneficiary, amount, bounty, stake: left } = event;
    assert.deepEqual([event.reason, beneficiary], [reason, walter.id]);
    assert.deepEqual([amount, bounty, left].map(BigInt), [STAKE / 2n, STAKE / 4n, STAKE / 2n]);
    const shown = await world.shows(`/agents/${member.id}/stake`, ({ state }) => state === 'suspended');
    assert.deepEqual([shown.slashes, BigInt(shown.stake_lamports)], [1, STAKE / 2n]);
    assert.equal((await world.read(`/agents/${member.id}/profile`)).stake_usdc, Number(STAKE / 2n / USDC));
    const required = await world.read(`/stake/required/${member.id}`);
    assert.equal(required.stake_usdc, Number(STAKE / 2n / USDC));
    assert.equal((await world.usdc(walter.id)) - before, STAKE / 4n);
    const { tokens } = await walter.client.balances();
    assert.equal(BigInt(tokens.find(({ symbol }) => symbol === 'USDC')!.amount_base) - before, STAKE / 4n);
  }

  it('two agents stake, pay their lease and submit their batches', async () => {
    const { alice, bob, mesh } = world;
    const treasury = mesh.localnet.treasury.address;
    for (const member of [alice, bob]) await stake(member, '40');
    const before = await world.usdc(treasury);
    assert.equal((await bob.post('/lease/pay', { ahead: 2 })).status, 200);
    assert.equal((await world.usdc(treasury)) - before, 3n * USDC);
    await world.pass(1, alice, bob);
    for (const { id } of [alice, bob]) {
      const shown = await world.shows(`/agents/${id}/stake`, ({ duties }) => duties);
      assert.deepEqual([shown.state, BigInt(shown.stake_lamports), shown.stake_owner], ['active', STAKE, id]);
    }
    await world.shows(`/agents/${bob.id}/profile`, (body) => body.lease_status === 'active' && body.stake_usdc === 40);
  });

  // With a stake Bob has a standing, for which the aggregator pays for his link.
  ownerScenes(world);

  it('an honest agent that is accused answers, and loses nothing', async () => {
    const { alice, bob, mesh } = world;
    const header = await said(bob);
    await world.pass(1, alice, bob);
    const accuser = signerOf(Keypair.generate());
    await mesh.localnet.faucet.sol(accuser.address, 1_000_000_000n);
    await world.accuse(bob.id, header, accuser);
    const answered = await world.event('accusation_answered', `agent_id=${bob.id}`);
    assert.equal(answered.accuser, accuser.address);
    assert.ok([bob.id, world.aggregatorKey].includes(answered.answerer), answered.answerer);
    const after = await world.shows(`/agents/${bob.id}/stake`, (body) => body.open_accusations === 0);
    assert.deepEqual([after.state, BigInt(after.stake_lamports), after.slashes], ['active', STAKE, 0]);
    await world.eventually('the node knows', async () => {
      const [one] = (await bob.get('/accusations')).body;
      return one?.state === 'answered' || undefined;
    });
  });

  it('an agent whose batch leaves out an envelope is accused and convicted by who holds it', async () => {
    const { alice, bob, walter, mesh } = world;
    const before = await world.usdc(walter.id);
    const header = await said(alice);
    const epoch = epochOfNonce(header.nonce);
    const [identity, network] = [alice.node.get(Identity), alice.node.get(Network)];
    const leaves = await alice.node.get(Batches).signed(epoch);
    await alice.stop();
    await world.pass(1, bob);
    const at = seqOfNonce(header.nonce);
    leaves.fill(7, (at - 1) * 32, at * 32);
    const list = signLeafList(epoch, leaves, identity, network);
    const archive = aggregatorArchive(mesh.aggregatorNode.url);
    await world.eventually('a keeper of the list', () => archive.store(alice.id, list).catch(() => undefined));
    const batch = { epoch, count: list.count, root: toHex(list.root) };
    await world.take({ type: 'submit_batch', key: alice.id, ...batch }, ledgerSigner(identity));
    assert.equal((await world.event('agent_accused', `agent_id=${alice.id}`)).accuser, walter.id);
    await slashed(alice, 'other_leaf', before);
    const [shown] = (await walter.get('/accusations')).body;
    assert.deepEqual([shown.agent_id, shown.accuser, shown.epoch], [alice.id, walter.id, epoch]);
  });

  it('an agent that stops submitting is slashed by a stranger, who gets the bounty', async () => {
    const { bob, walter } = world;
    const before = await world.usdc(walter.id);
    await bob.stop();
    await world.pass(5);
    await slashed(bob, 'inactive', before);
    assert.ok((await world.read('/ledger')).complete);
  });
}
