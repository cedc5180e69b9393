import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../../adapters/index.ts';
import type { RunningNode } from '../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { happens } from '../../support/happens.ts';
import { Upstream } from '../../upstreams/push/upstream.ts';

describe('an aggregator whose pending messages never end', function () {
  this.timeout(15_000);

  for (const [how, cursorOf] of [
    ['are the same ones again', () => 1],
    ['go on for ever', (count: number) => count],
  ] as const)
    it(`keeps a node no longer than a queue of messages would: they ${how}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
      let asked = 0;
      const liar = await Upstream.start(({ path }) => {
        if (path === '/push/register') return { status: 200, json: {} };
        if (path === '/push/sleep') return { status: 200, json: { sleeping: false, pending: 1 } };
        if (!path.includes('/pending?')) return { status: 404, json: {} };
        asked += 1;
        return { status: 200, json: [{ from: 'eve', payload: 'AAAA', cursor: cursorOf(asked) }] };
      });
      let node: RunningNode | undefined;
      try {
        node = await startNode({
          parts: { adapters, plugins, standard },
          log: silentLog,
          config: {
            folder,
            value: {
              ...{ listen: '127.0.0.1:0', dataDir: join(folder, 'data'), storage: { use: 'memory' } },
              mesh: { aggregators: [liar.url] },
              plugins: { push: { token: 'https://93.184.216.34/topic' } },
            },
          },
        });
        const { url } = node;
        await happens('the node gives it up', async () => {
          const { aggregators } = (await (await fetch(`${url}/push`)).json()) as any;
          return aggregators?.[0].problem?.includes('pending messages') || undefined;
        });
        assert.ok(asked >= 1 && asked <= 100, `${asked} pages`);
      } finally {
        await node?.stop();
        liar.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
});
