import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { type SettledLocalnet, startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Ledger } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

describe('a node whose ledger answers badly', function () {
  this.timeout(60_000);
  let net: SettledLocalnet;
  let proxy: RpcProxy;
  let node: RunningNode;
  let folder: string;
  const clock = new BriskClock();
  before(async () => {
    net = await startSettledLocalnet({ log: silentLog, networkId: 'health-tests', faults: { views: [{}, {}] } });
    proxy = await RpcProxy.start(net.views[1]!.url);
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    const argv = ['--rpc-url', net.url, '--rpc-url', proxy.url, '--network-id', 'health-tests'];
    const config = {
      value: { listen: '127.0.0.1:0', dataDir: folder, storage: { use: 'memory' }, ledger: net.settlement },
      folder,
      argv,
    };
    node = await startNode({ parts: { adapters, plugins: {} }, log: silentLog, clock, config });
  });
  after(async () => {
    await node?.stop();
    await proxy.stop();
    await net.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function ready(): Promise<any> {
    const answer = await fetch(`${node.url}/ready`);
    return { http: answer.status, ...((await answer.json()) as object) };
  }

  async function counted(series: RegExp): Promise<number> {
    const headers = { authorization: `Bearer ${node.apiSecret}` };
    const text = await (await fetch(`${node.url}/metrics`, { headers })).text();
    return Number(series.exec(text)?.[1] ?? 0);
  }

  it('says at /ready which RPC, what it does and what helps, and is whole again when it answers', async () => {
    assert.ok(node.report.notes.some((note) => note.includes('2 RPCs that must agree')));
    const whole = await ready();
    assert.deepEqual([whole.http, whole.status, whole.services.ledger], [200, 'ok', { state: 'ok' }]);

    proxy.changed.set('getSlot', () => '<html>');
    proxy.changed.set('getMultipleAccounts', () => '<html>');
    const ledger = node.get(Ledger);
    await assert.rejects(ledger.settlement!.time(), { code: 'ledger_unavailable' });
    const degraded = await ready();
    assert.deepEqual([degraded.http, degraded.status, degraded.services.ledger.state], [200, 'degraded', 'degraded']);
    assert.match(
      degraded.services.ledger.detail,
      /^RPC 2 of the ledger gives no JSON-RPC answer to getMultipleAccounts/,
    );
    assert.match(degraded.services.ledger.remedy, /Nothing is signed, paid or decided.*--rpc-url/);
    assert.ok(!JSON.stringify(degraded).includes(proxy.url));
    assert.ok(
      (await counted(
        /^mesh_ledger_rpc_faults_total\{rpc="2",method="getMultipleAccounts",kind="malformed"\} (\d+)$/m,
      )) > 0,
    );

    proxy.heal();
    // Answers that were under way come before this one, so none of them is dated later.
    await ledger.settlement!.time();
    clock.shift(61_000);
    await happens('the node is whole again', async () => ((await ready()).status === 'ok' ? true : undefined));
  });

  it('shows an RPC that hangs although nobody has asked the ledger anything, and is whole again when it answers', async () => {
    proxy.changed.set('getSlot', () => new Promise(() => {}));
    const { ledger } = await happens('it shows', async () => {
      const { services, http } = await ready();
      assert.equal(http, 200);
      return services.ledger.state === 'degraded' ? services : undefined;
    });
    assert.match(
      ledger.detail,
      /^RPC 2 of the ledger does not answer getSlot \((once, \d+ s ago|\d+ times in \d+ s)\)\.$/,
    );
    proxy.heal();
    await happens('the node is whole again', async () => ((await ready()).status === 'ok' ? true : undefined));
  });

  it('counts every call, so that what an idle node costs can be seen', async () => {
    const calls = /^mesh_ledger_rpc_calls_total\{rpc="1",method="getMultipleAccounts"\} (\d+)$/m;
    const before = await counted(calls);
    await node.get(Ledger).settlement!.agents([net.treasury.address]);
    assert.equal(await counted(calls), before + 1);
  });
});
