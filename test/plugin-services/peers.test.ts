import assert from 'node:assert/strict';
import { Identity } from '../../core/internal-services.ts';
import { definePlugin } from '../../core/plugin.ts';
import { type PeerChange, Peers } from '../../core/services.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('the service Peers', () => {
  let mesh: Mesh<'ann' | 'bob' | 'eve'>;
  let peers: Peers;
  const changes: PeerChange[] = [];
  const watcher = definePlugin({
    name: 'watcher',
    api: '2.0',
    node: {
      uses: { peers: Peers },
      setup(services, { defer }) {
        peers = services.peers;
        defer(
          peers.follow(() => {
            throw new Error('this follower is broken');
          }),
        );
        defer(peers.follow(() => Promise.reject(new Error('and so is this one'))));
        defer(peers.follow((change) => void changes.push(change)));
        return {};
      },
    },
  });

  before(async () => {
    const agent = (name: string, more = {}) => ({ agent: { name, ...more } });
    mesh = await startMesh({
      nodes: ['ann', 'bob', 'eve'],
      storage: 'lowdb',
      plugins: { ann: [watcher] },
      own: { bob: agent('Bob', { capabilities: ['Translate', 'ocr', 'no word'] }), eve: agent('Eve') },
    });
    await mesh.acquainted();
  });
  after(() => mesh.stop());

  const bobKnown = () =>
    happens('Bob and what he can do are known', async () => {
      const bob = await peers.get(mesh.nodes.bob.id);
      return bob?.capabilities.length && bob.name === 'Bob' ? bob : undefined;
    });

  it('says who announced itself, with name, public URL and capabilities, and never the address it comes from', async () => {
    const bob = await bobKnown();
    assert.deepEqual(bob.capabilities, ['ocr', 'translate']);
    assert.equal(bob.url, mesh.nodes.bob.url.replace('http', 'ws').concat('/mesh'));
    assert.equal(bob.hub, false);
    const fields = ['id', 'name', 'capabilities', 'hub', 'url', 'since', 'seen'];
    assert.ok(
      Object.keys(bob).every((field) => fields.includes(field)),
      Object.keys(bob).join(),
    );
    assert.equal(await peers.get('nobody'), undefined);
    assert.equal(await peers.get(bob.id.replace(/^./, (one) => (one === '2' ? '3' : '2'))), undefined);
  });

  it('says since when there is a session, and with which hub', async () => {
    const { peers: all } = await peers.page();
    const [hub, ...others] = all.filter((one) => one.hub);
    assert.deepEqual([hub?.id, others], [mesh.aggregatorNode.get(Identity).address, []]);
    assert.ok(hub!.since! <= hub!.seen, JSON.stringify(hub));
  });

  it('pages by id and meets everybody once', async () => {
    await happens('all three others are known', async () =>
      (await peers.page()).peers.length === 3 ? true : undefined,
    );
    const met: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 5; pages++) {
      const page = await peers.page({ limit: 1, ...(after !== undefined && { after }) });
      met.push(...page.peers.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    const whole = (await peers.page()).peers.map(({ id }) => id);
    assert.deepEqual(met, whole);
    assert.deepEqual(whole, [...whole].sort());
    assert.ok(whole.includes(mesh.nodes.eve.id));
    for (const limit of [0, 201, 1.5]) await assert.rejects(peers.page({ limit }), { code: 'invalid_request' });
  });

  it('tells followers of changes, also beside those that fail', async () => {
    await happens('Bob was announced', async () =>
      changes.some(({ kind, id }) => kind === 'announced' && id === mesh.nodes.bob.id) ? true : undefined,
    );
    await happens('somebody was connected', async () => changes.some(({ kind }) => kind === 'connected') || undefined);
    const told: PeerChange[] = [];
    peers.follow((change) => void told.push(change))();
    const before = changes.length;
    await mesh.nodes.bob.client.advertise({ capabilities: ['ocr', 'summarise'] });
    const bob = await happens('Bob says something else', async () => {
      const one = await peers.get(mesh.nodes.bob.id);
      return one?.capabilities.includes('summarise') ? one : undefined;
    });
    assert.deepEqual(bob.capabilities, ['ocr', 'summarise']);
    const ofBob = await happens('the followers are told', async () => {
      const found = changes.slice(before).filter(({ id, kind }) => id === bob.id && kind === 'announced');
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(ofBob, [{ kind: 'announced', id: bob.id }]);
    assert.deepEqual(told, []);
  });

  it('remembers capabilities over a restart, until others are advertised', async () => {
    await mesh.nodes.bob.stop();
    await mesh.nodes.ann.restart();
    assert.deepEqual((await peers.get(mesh.nodes.eve.id))?.capabilities, []);
    const known = (await peers.page()).peers.find(({ name }) => name === 'Bob')!;
    assert.deepEqual([known.capabilities, known.since], [['ocr', 'summarise'], undefined]);
  });
});
