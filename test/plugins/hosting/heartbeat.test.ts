import assert from 'node:assert/strict';
import type { Log } from '../../../core/platform/log.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { Guest } from './support/hosted.ts';

const SECRET = 'the-secret-of-hosts-and-their-aggregator';

/** A log that keeps what is said about lists. */
function listening() {
  const said: string[] = [];
  const note = (_: unknown, text?: string) => {
    if (text && /lists? this host/.test(text)) said.push(text);
  };
  const log: Log = { ...silentLog, warn: note, info: note, child: () => log };
  return { said, log };
}

describe('the heartbeat of a host', function () {
  this.timeout(60_000);
  let mesh: Mesh<'inn' | 'wrong' | 'quiet'>;
  let inn: Member;
  let wrong: Member;
  const { said, log } = listening();

  before(async () => {
    const hosting = (more: object) => ({ plugins: { hosting: { hostAgents: true, ...more } } });
    mesh = await startMesh({
      log,
      storage: 'lowdb',
      nodes: ['inn', 'wrong', 'quiet'],
      own: {
        aggregator: { plugins: { hosting: { hostingSecret: SECRET } } },
        inn: hosting({ hostingSecret: SECRET, feeBps: 50 }),
        wrong: hosting({ hostingSecret: `${SECRET}!` }),
        quiet: hosting({}),
      },
    });
    ({ inn, wrong } = mesh.nodes);
  });
  after(() => mesh?.stop());

  const listed = async () => (await (await fetch(`${mesh.aggregatorNode.url}/hosting/nodes`)).json()) as any[];

  it('lists it at a real aggregator, with its name, address and fee', async () => {
    const [node] = await happens('it is listed', async () => {
      const nodes = await listed();
      return nodes.length > 0 ? nodes : undefined;
    });
    const { node_id, name, api_url, fee_bps, hosted_agent_count } = node;
    assert.deepEqual([node_id, name, api_url, fee_bps, hosted_agent_count], [inn.id, 'inn', inn.node.publicUrl, 50, 0]);
    assert.equal((await fetch(`${api_url}/hosted/ping`)).status, 200);
  });

  it('lists nobody who has another secret, or none, and says so once', async () => {
    const state = await happens('it is degraded', async () => {
      const { plugins } = (await (await fetch(`${wrong.url}/ready`)).json()) as any;
      return plugins.hosting.state === 'degraded' ? plugins.hosting : undefined;
    });
    assert.match(state.detail, /does not list this host: it answered 401/);
    assert.match(state.remedy, /hostingSecret/);
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    assert.deepEqual(said, ['an aggregator does not list this host; it is tried again']);
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ['inn'],
    );
  });

  it('tells how many agents it hosts, at its next start too', async () => {
    await Guest.register(() => inn);
    await Guest.register(() => inn);
    // The aggregator believes as many as it has heard of in BEACONs, which takes them a moment.
    await happens('two are told', async () => {
      await inn.restart();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const [node] = await listed();
      return node?.hosted_agent_count === 2 || undefined;
    });
  });

  it('is sent again soon to an aggregator that was away, and says when it is well', async () => {
    const { said: heard, log: other } = listening();
    const later = await startMesh({
      log: other,
      nodes: ['host'],
      isolated: true,
      own: {
        aggregator: { plugins: { hosting: { hostingSecret: SECRET } } },
        host: {
          plugins: { hosting: { hostAgents: true, hostingSecret: SECRET } },
          mesh: { aggregators: ['http://127.0.0.1:9'] },
        },
      },
    });
    try {
      await happens('it says that it is not listed', async () => heard.length === 1 || undefined);
      assert.match(heard[0]!, /does not list this host/);
    } finally {
      await later.stop();
    }
  });
});
