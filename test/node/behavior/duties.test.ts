import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { Identity, Ledger, Network } from '../../../core/internal-services.ts';
import type { Signer } from '../../../core/ledger/ledger.ts';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { aggregatorArchive } from '../../../core/node/behavior/aggregator-archive.ts';
import { Batches } from '../../../core/node/services/behavior.ts';
import { NodeSpace } from '../../../core/node/services/messaging.ts';
import { heldHeaders } from '../../../core/node/watch/held-headers.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import { signLeafList } from '../../../core/protocol/batches/leaf-list.ts';
import type { SignedHeader } from '../../../core/protocol/envelopes/envelope.ts';
import { seqOfNonce } from '../../../core/protocol/envelopes/epochs.ts';
import { encodeHeader, envelopeId } from '../../../core/protocol/envelopes/header.ts';
import type { SettlementStep } from '../../../core/protocol/settlement/steps.ts';
import type { Identity as Key } from '../../../core/protocol/signer/identity.ts';
import { signerOf } from '../../ledger/bench.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { SHORT_EPOCHS, stake } from './support.ts';

const STAKE = 40_000_000n;
const SOL = 1_000_000_000n;
/** More than an absence of three epochs and what the test itself takes. */
const INACTIVE = 6;

type Name = 'honest' | 'cheat' | 'quitter' | 'watcher';

describe('the duties of a staked agent', function () {
  this.timeout(120_000);
  let mesh: Mesh<Name>;
  before(async () => {
    mesh = await startMesh({
      nodes: ['honest', 'cheat', 'quitter', 'watcher'],
      storage: 'lowdb',
      usdc: { honest: '50', cheat: '50', quitter: '50', watcher: '1' },
      numbers: { ...SHORT_EPOCHS, inactiveEpochs: INACTIVE },
      own: {
        // The node has to answer for itself.
        aggregator: { core: { leaves: { answerAccusations: false } } },
        honest: { core: { lease: { pay: 'never' } } },
        cheat: { core: { lease: { pay: 'never' } } },
        quitter: { core: { lease: { pay: 'never' } } },
        watcher: { core: { watch: { accuse: true, slash: true } } },
      },
    });
    for (const name of ['honest', 'cheat', 'quitter'] as const) await stake(mesh.nodes[name], '40');
  });
  after(() => mesh.stop());

  function ledger() {
    const found = mesh.nodes.watcher.node.get(Ledger);
    assert.ok(found?.settlement);
    return { ...found, settlement: found.settlement, submit: found.submit.bind(found) };
  }

  async function agent(member: Member) {
    return (await ledger().settlement.agent(member.id))!;
  }

  async function take(step: SettlementStep, signer: Signer): Promise<void> {
    const { settlement, submit } = ledger();
    const outcome = await submit(await settlement.prepare(step, [signer]));
    assert.equal(outcome.status, 'confirmed', JSON.stringify(outcome));
  }

  /** Epoch after epoch, each when these have submitted what they owe. */
  async function pass(epochs: number, ...busy: readonly Member[]): Promise<void> {
    for (let count = 0; count < epochs; count++) {
      mesh.advance(SHORT_EPOCHS.epochSecs);
      for (const member of busy) await upToDate(member);
    }
  }

  async function upToDate(member: Member): Promise<void> {
    await happens(`${member.name} has submitted everything`, async () => {
      const { epoch } = await ledger().settlement.time();
      return (await agent(member)).last >= epoch - 1 ? true : undefined;
    }).catch(async (error) => {
      throw new Error(`${error.message}: ${JSON.stringify((await member.get('/stake')).body)}`);
    });
  }

  /** What the watcher holds of an agent that has just written to it. */
  async function said(member: Member): Promise<SignedHeader> {
    const { nonce } = await member.client.propose({
      recipient: mesh.nodes.watcher.id,
      amount_usdc: '1',
      message: 'Hello.',
    });
    const space = mesh.nodes.watcher.node.get(NodeSpace)!;
    for await (const header of heldHeaders(space, member.id, Math.floor(nonce / 2 ** 22))) {
      if (header.nonce === nonce) return header;
    }
    throw new Error('the watcher does not hold it');
  }

  it('are done through an absence of three epochs and a restart', async () => {
    const { honest, cheat, quitter } = mesh.nodes;
    await pass(1, honest, cheat, quitter);
    await said(honest);
    await honest.stop();
    await pass(3, cheat, quitter);
    await honest.start();
    await upToDate(honest);
    const { state, stake: left, skipped } = await agent(honest);
    assert.deepEqual([state, left, skipped], ['active', STAKE, []]);
  });

  it('include the answer to an accusation, which the node gives by itself', async () => {
    const { honest, cheat, quitter } = mesh.nodes;
    const header = await said(honest);
    await pass(1, honest, cheat, quitter);
    const accuser = signerOf(Keypair.generate());
    await mesh.localnet.faucet.sol(accuser.address, SOL);
    const accusation = {
      type: 'accuse',
      key: honest.id,
      header: encodeHeader(header),
      signature: header.signature,
    } as const;
    await take({ type: 'announce', key: honest.id, id: toHex(envelopeId(header)) }, accuser);
    mesh.localnet.warp({ seconds: 0, slots: SHORT_EPOCHS.announceSlots, blocks: 1 });
    await take(accusation, accuser);
    const found = await happens('an answer', async () => {
      const [one] = (await honest.get('/accusations')).body;
      return one?.state === 'answered' ? one : undefined;
    });
    assert.deepEqual([found.agent_id, found.envelope_id], [honest.id, toHex(envelopeId(header))]);
    const { open, stake: left } = await agent(honest);
    assert.deepEqual([open, left], [0, STAKE]);
  });

  it('cannot be left undone: a stranger slashes who is silent, and takes the bounty', async () => {
    const { honest, cheat, quitter, watcher } = mesh.nodes;
    const before = await ledger().usdc(watcher.id);
    await quitter.stop();
    await pass(INACTIVE, honest, cheat);
    await happens('a slash', async () => ((await agent(quitter)).state === 'suspended' ? true : undefined));
    assert.equal((await agent(quitter)).stake, STAKE / 2n);
    assert.equal((await ledger().usdc(watcher.id)) - before, STAKE / 4n);
    assert.deepEqual([(await agent(honest)).stake, (await agent(cheat)).stake], [STAKE, STAKE]);
  });

  it('cannot be cheated: who leaves an envelope out is accused and convicted', async () => {
    const { honest, cheat, watcher } = mesh.nodes;
    const before = await ledger().usdc(watcher.id);
    const header = await said(cheat);
    const epoch = Math.floor(header.nonce / 2 ** 22);
    const network = cheat.node.get(Network)!;
    const identity: Key = cheat.node.get(Identity)!;
    const leaves = await cheat.node.get(Batches)!.signed(epoch);
    await cheat.stop();
    await pass(1, honest);
    leaves.fill(7, (seqOfNonce(header.nonce) - 1) * 32, seqOfNonce(header.nonce) * 32);
    const list = signLeafList(epoch, leaves, identity, network);
    await happens('a keeper of the list', () =>
      aggregatorArchive(mesh.aggregatorNode.url)
        .store(cheat.id, list)
        .catch(() => undefined),
    );
    const batch = { type: 'submit_batch', key: cheat.id, epoch, count: list.count, root: toHex(list.root) } as const;
    await take(batch, ledgerSigner(identity));
    await happens('a conviction', async () => ((await agent(cheat)).state === 'suspended' ? true : undefined));
    assert.equal((await agent(cheat)).stake, STAKE / 2n);
    assert.equal((await ledger().usdc(watcher.id)) - before, STAKE / 4n);
    const [shown] = (await watcher.get('/accusations')).body;
    assert.deepEqual([shown.agent_id, shown.accuser], [cheat.id, watcher.id]);
    assert.equal((await agent(honest)).stake, STAKE);
  });
});
