import assert from 'node:assert/strict';
import { Ledger } from '../../../core/internal-services.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { SHORT_EPOCHS } from './support.ts';

describe('the stake of a node', function () {
  this.timeout(120_000);
  let mesh: Mesh<'owner'>;
  before(async () => {
    const own = { owner: { core: { lease: { pay: 'never' } } } };
    mesh = await startMesh({ nodes: ['owner'], usdc: { owner: '30' }, numbers: SHORT_EPOCHS, own });
  });
  after(() => mesh.stop());

  async function refused(path: string, body: object, code: string): Promise<void> {
    const answer = await mesh.nodes.owner.post(path, body);
    assert.equal(answer.body.code, code, JSON.stringify(answer.body));
  }

  async function view(): Promise<any> {
    return (await mesh.nodes.owner.get('/stake')).body;
  }

  async function upToDate(): Promise<void> {
    await happens('every batch', async () => {
      const { duties, epoch, last_epoch } = await view();
      return !duties || last_epoch >= epoch - 1 ? true : undefined;
    });
  }

  it('is nothing at first, and what is too little or too much is refused', async () => {
    const found = await view();
    assert.deepEqual([found.state, found.stake_usdc, found.stake_owner, found.unlock], ['none', '0', null, null]);
    await refused('/stake/add', { amount_usdc: '9.999999' }, 'invalid_request');
    await refused('/stake/add', { amount_usdc: '31' }, 'insufficient_funds');
    await refused('/stake/add', { amount_usdc: '1', amount_usdc_micro: 1 }, 'invalid_request');
    await refused('/stake/add', {}, 'invalid_request');
    await refused('/stake/unlock', {}, 'conflict');
    assert.equal(await mesh.nodes.owner.node.get(Ledger)!.usdc(mesh.nodes.owner.id), 30_000_000n);
  });

  it('is put down once for one idempotency key', async () => {
    const { owner } = mesh.nodes;
    const once = { 'idempotency-key': 'stake-1' };
    const first = await owner.post('/stake/add', { amount_usdc: '10' }, once);
    const second = await owner.post('/stake/add', { amount_usdc: '10' }, once);
    assert.equal(first.body.signature, second.body.signature);
    const { state, stake_usdc, stake_owner, duties } = await view();
    assert.deepEqual([state, stake_usdc, stake_owner, duties], ['active', '10', owner.id, true]);
    assert.equal((await owner.post('/stake/add', { amount_usdc: '5' })).status, 200);
    assert.equal((await view()).stake_usdc, '15');
    await refused('/stake/resume', {}, 'conflict');
    await refused('/stake/withdraw', {}, 'conflict');
  });

  it('is taken back after duties and time, and not before', async () => {
    const { owner } = mesh.nodes;
    assert.equal((await owner.post('/stake/unlock')).status, 200);
    assert.equal((await owner.post('/stake/resume')).status, 200);
    assert.equal((await view()).state, 'active');
    mesh.advance(SHORT_EPOCHS.epochSecs);
    await upToDate();
    assert.equal((await owner.post('/stake/unlock')).status, 200);
    const leaving = await view();
    assert.deepEqual([leaving.state, leaving.unlock.waits_for], ['leaving', ['batches', 'time']]);
    await refused('/stake/withdraw', {}, 'deadline_not_reached');
    for (let epoch = 0; epoch < 2; epoch++) {
      mesh.advance(SHORT_EPOCHS.epochSecs);
      await upToDate();
    }
    assert.deepEqual((await view()).unlock.waits_for, ['time']);
    mesh.advance(SHORT_EPOCHS.unlockSecs);
    await happens('the end of the wait', async () => ((await view()).unlock.waits_for.length === 0 ? true : undefined));
    assert.equal((await owner.post('/stake/withdraw')).status, 200);
    assert.equal((await view()).state, 'none');
    assert.equal(await owner.node.get(Ledger)!.usdc(owner.id), 30_000_000n);
  });
});

describe('a node without a ledger', function () {
  this.timeout(90_000);
  let mesh: Mesh<'bare'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['bare'] });
  });
  after(() => mesh.stop());

  it('says that there is no ledger, and shows its own batches', async () => {
    const { bare } = mesh.nodes;
    for (const path of ['/stake', '/lease']) assert.equal((await bare.get(path)).body.code, 'ledger_unavailable');
    for (const path of ['/stake/add', '/stake/unlock', '/stake/resume', '/stake/withdraw', '/lease/pay']) {
      const answer = await bare.post(path, path === '/stake/add' ? { amount_usdc: '10' } : {});
      assert.deepEqual([answer.status, answer.body.code], [503, 'ledger_unavailable'], path);
    }
    const { epoch } = (await bare.get('/identity')).body;
    const batch = await bare.get(`/batch/${bare.id}/${epoch}`);
    assert.deepEqual([batch.status, batch.body.state], [200, 'open']);
    for (const path of [`/batch/${bare.id}/${epoch + 1}`, `/batch/${'2'.repeat(44)}/${epoch}`])
      assert.equal((await bare.get(path)).status, 404, path);
    const nonce = epoch * 2 ** 22 + 1;
    assert.equal((await bare.get(`/batch/${bare.id}/${epoch}/proof/${nonce}`)).status, 404);
    const other = await bare.get(`/batch/${bare.id}/${epoch - 1}/proof/${nonce}`);
    assert.equal(other.body.code, 'invalid_request');
    mesh.advance(86_400);
    const past = await bare.get(`/batch/${bare.id}/${epoch}`);
    assert.deepEqual([past.status, past.body.state], [200, 'complete'], 'an epoch that is over is not open');
    assert.deepEqual((await bare.get('/accusations')).body, []);
  });
});
