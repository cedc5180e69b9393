import assert from 'node:assert/strict';
import { Identity } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { paymentMemo } from '../../core/node/payments/memo.ts';
import { stake } from '../node/behavior/support.ts';
import { roundsOf } from '../storage/dice.ts';
import { delivered } from '../support/deals.ts';
import { checkAlways, checkSettled } from './checks.ts';
import { Notes, type Rule } from './notes.ts';
import { play } from './play.ts';
import { USDC, World } from './world.ts';

describe('money under faults, kills and cheats', function () {
  this.timeout(300_000);

  it('a short play ends clean', async () => {
    const { violations, counts } = await play({ rounds: roundsOf(40), seed: 20 });
    assert.deepEqual(violations, [], JSON.stringify(counts));
  });
});

describe('the checks of a play find', function () {
  this.timeout(300_000);
  const notes = new Notes();
  let world: World;
  before(async () => {
    world = await World.open(1, notes);
  });
  after(() => world?.close());

  /** The rules that are broken now and were not before. */
  async function broken(): Promise<readonly Rule[]> {
    const before = notes.violations.length;
    await checkAlways(world);
    return [...new Set(notes.violations.slice(before).map(({ rule }) => rule))];
  }

  /** A transfer with the key of a node, behind its back. */
  async function stolen(memo: string, amount: bigint): Promise<void> {
    const { ledger } = world.books;
    const signer = ledgerSigner(world.member('ada').node.get(Identity));
    const transfer = { to: world.idOf('ben'), amount, memo };
    assert.equal((await ledger.submit(await ledger.prepareUsdcTransfer(transfer, signer))).status, 'confirmed');
  }

  it('nothing where nothing is wrong', async () => {
    assert.deepEqual(await broken(), []);
  });

  it('a deal that is paid twice', async () => {
    const deal = await delivered(world.member('ada'), world.member('ben'), {
      amount_usdc: '1.5',
      escrow: false,
    } as object);
    assert.equal((await world.member('ada').post(`/deals/${deal}/pay`)).status, 200);
    assert.deepEqual(await broken(), []);
    // Of another amount: with the same one and the same blockhash it would be the same transaction.
    await stolen(paymentMemo(deal), 1_500_001n);
    assert.deepEqual(await broken(), ['paid-once']);
  });

  it('a transfer that no step explains', async () => {
    await stolen('a gift', 1n);
    assert.deepEqual(await broken(), ['explained']);
  });

  it('USDC out of nowhere', async () => {
    await world.localnet.faucet.usdc(world.idOf('ada'), 1n);
    assert.deepEqual(await broken(), ['books']);
    world.minted += 1n;
  });

  it('spendings above a cap', async () => {
    await stolen(paymentMemo('00'.repeat(16)), 70n * USDC);
    assert.deepEqual(await broken(), ['caps']);
  });

  it('an acknowledged step that is not on the ledger', async () => {
    notes.deal('11'.repeat(16)).done.set('approve', 1);
    const before = notes.violations.length;
    await checkSettled(world);
    const found = notes.violations.slice(before).map(({ rule }) => rule);
    assert.ok(found.includes('acknowledged'), found.join());
  });

  it('an honest agent that is slashed', async () => {
    const cleo = world.member('cleo');
    await stake(cleo, '10');
    const { id } = cleo;
    world.kill('cleo');
    for (let epoch = 0; epoch < 7; epoch += 1) world.pass(world.settlement.numbers.epochSecs, 1);
    const { ledger, settlement } = world.books;
    const thief = ledgerSigner(world.member('mallory').node.get(Identity));
    const outcome = await ledger.submit(await settlement.prepare({ type: 'slash_inactive', key: id }, [thief]));
    assert.equal(outcome.status, 'confirmed');
    assert.deepEqual(await broken(), ['honest-slashed']);
  });
});
