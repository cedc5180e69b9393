import assert from 'node:assert/strict';
import { leaseGate } from '../../../core/node/stake/lease-gate.ts';
import { LeaseStandings } from '../../../core/node/stake/lease-standings.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { parseAgentId } from '../../../core/protocol/identity/ids.ts';
import { type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { SHORT_EPOCHS } from './support.ts';

describe('the lease gate', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
  });
  after(() => bench.close());

  it('lets in whose lease is paid or in grace, and nobody else', async () => {
    const { settlement, net } = bench;
    const clock = new BriskClock();
    const gate = leaseGate(new LeaseStandings({ settlement, clock, log: silentLog }));
    const [member, stranger] = [await bench.wallet(), await bench.wallet()];
    const ask = (address: string) => gate(parseAgentId(address)!);
    await bench.take({ type: 'pay_lease', key: member.address, epochs: 1, maxAmount: 1_000_000n, payments: 0 }, member);
    assert.deepEqual([await ask(member.address), await ask(stranger.address)], ['accepted', 'restricted']);
    const pass = (epochs: number) => {
      clock.shift(epochs * 100_000);
      net.warp({ seconds: epochs * 100, slots: 1, blocks: 1 });
    };
    pass(3);
    assert.equal(await ask(member.address), 'accepted');
    pass(1);
    assert.equal(await ask(member.address), 'restricted');
  });

  it('keeps to the last answer while the ledger is silent', async () => {
    const member = await bench.wallet();
    await bench.take({ type: 'pay_lease', key: member.address, epochs: 9, maxAmount: 9_000_000n, payments: 0 }, member);
    let silent = false;
    const { settlement } = bench;
    const agents = (keys: readonly string[]) =>
      silent ? Promise.reject(new Error('silent')) : settlement.agents(keys);
    const clock = new BriskClock();
    clock.shift((await settlement.time()).unixSeconds * 1_000 - clock.now());
    const standings = new LeaseStandings({ settlement: { ...settlement, agents }, clock, log: silentLog });
    assert.equal(await standings.of(member.address), 'active');
    silent = true;
    clock.shift(200_000);
    assert.equal(await standings.of(member.address), 'active');
    assert.equal(await standings.of((await bench.wallet()).address), 'none');
  });
});

describe('the lease gate of a node, where the mesh asks for leases', function () {
  this.timeout(90_000);
  let mesh: Mesh<'lapsed' | 'free' | 'usual' | 'open' | 'strict'>;
  before(async () => {
    const gate = (on: boolean) => ({ core: { lease: { gate: on } } });
    mesh = await startMesh({
      nodes: ['lapsed', 'free', 'usual', 'open', 'strict'],
      usdc: { lapsed: '10' },
      numbers: SHORT_EPOCHS,
      own: { open: gate(false), strict: gate(true) },
    });
  });
  after(() => mesh.stop());

  it('is closed by default for an agent whose lease is deactivated, and for nobody else', async () => {
    const { lapsed, free, usual, open, strict } = mesh.nodes;
    const say = async (from: Member, to: Member) => {
      const { envelope_id } = await from.client.message({ recipient: to.id, text: 'Hello.' });
      return (await from.client.trace(envelope_id)).hops.at(-1)!.detail;
    };
    assert.equal((await lapsed.post('/lease/pay', {})).status, 200);
    for (const to of [usual, open, strict]) assert.equal(await say(lapsed, to), 'accepted');
    assert.deepEqual([await say(free, usual), await say(free, strict)], ['accepted', 'restricted']);
    mesh.advance(SHORT_EPOCHS.epochSecs * 5);
    await happens('the lease is deactivated', async () => {
      const { body } = await lapsed.get('/lease');
      return body.status === 'deactivated' || undefined;
    });
    await happens('the usual gate is closed', async () => (await say(lapsed, usual)) === 'restricted' || undefined);
    assert.deepEqual(
      [await say(lapsed, open), await say(lapsed, strict), await say(free, usual)],
      ['accepted', 'restricted', 'accepted'],
    );
    assert.equal((await lapsed.post('/lease/pay', {})).status, 200);
    await happens('it opens when the lease is paid', async () => {
      mesh.advance(SHORT_EPOCHS.epochSecs / 5);
      return (await say(lapsed, usual)) === 'accepted' || undefined;
    });
  });
});
