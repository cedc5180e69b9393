import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';
import { type Watched, watch } from '../support/sockets.ts';
import { wire } from '../support/wire.ts';
import { ATTACKER } from './support/hands.ts';

const MOST = 1024 * 1024;

describe('streams that nobody reads', function () {
  this.timeout(60_000);
  let node: TestNode;
  const open: Watched[] = [];

  before(async () => {
    node = await testNode({ plugins: [wire().plugin], settings: { api: { unsentMiB: MOST / 1024 / 1024 } } });
  });
  after(async () => {
    for (const { socket } of open) socket.terminate();
    await node.stop();
  });

  async function metric(series: string): Promise<number> {
    const answer = await fetch(`${node.url}/metrics`, { headers: { authorization: `Bearer ${SECRET}` } });
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  async function stalled(localAddress: string): Promise<Watched> {
    const watched = watch(`${node.url}/ws/flood`, [], { localAddress });
    open.push(watched);
    await new Promise((resolve) => watched.socket.once('open', resolve));
    watched.socket.pause();
    return watched;
  }

  it('are bounded in all; whoever has waited longest at the address with the most is told with 4008 or cut', async () => {
    const unsent = () => metric('mesh_stream_unsent_bytes');
    const honest = await stalled('127.0.0.1');
    await happens('something waits for it', async () => (await unsent()) > 0 || undefined);
    const [first] = await Promise.all(Array.from({ length: 10 }, () => stalled(ATTACKER)));
    await happens('half of the bound is used up', async () => (await unsent()) > MOST / 2 || undefined);
    first!.socket.resume();
    assert.deepEqual(await first!.closed, { code: 4008, reason: 'consumer_too_slow' });
    let most = 0;
    for (let index = 0; index < 30; index += 1) {
      await stalled(ATTACKER);
      most = Math.max(most, await unsent());
    }
    assert.ok(most > MOST / 2 && most <= MOST, `${most} bytes waited`);
    const cut = 'mesh_sockets_closed_total{route="WS /ws/flood",code="4008"}';
    await happens('most of them are gone', async () => (await metric(cut)) >= 30 || undefined);
    const seen = honest.frames.length;
    honest.socket.resume();
    await happens('the other one reads on', async () => honest.frames.length > seen + 100 || undefined);
    assert.equal(honest.socket.readyState, honest.socket.OPEN);
  });
});
