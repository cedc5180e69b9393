import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { JUMP } from '../../core/messaging/epoch-journal.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const DISCOVER = { msg_type: 'DISCOVER', payload: { query: 'x' } };

/** What /ready and /metrics say about signing. */
async function signing(url: string) {
  const state = (await (await fetch(`${url}/ready`)).json()) as any;
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  return { ...state.plugins.mesh, stopped: value('mesh_signing_stopped'), tainted: value('mesh_tainted_epochs') };
}

describe('a key that is used by two', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let copies: RunningNode[];
  beforeEach(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb' });
    ({ alice } = mesh.nodes);
    copies = [];
  });
  afterEach(async () => {
    for (const copy of copies) await copy.stop();
    await mesh.stop();
  });

  const data = (name: string) => join(mesh.folder, name);
  const send = (member: Member) => member.client.send(DISCOVER);

  async function copyOf(member: Member, to: string): Promise<void> {
    await member.stop();
    await rm(data(to), { recursive: true, force: true });
    await cp(data(member.name), data(to), { recursive: true });
    await member.start();
  }

  /** Everything the hub has been told so far. */
  async function reported(member: Member, envelopeId: string): Promise<void> {
    await happens('the hub has the envelope', async () => {
      const { body } = await member.get(`/envelopes/${envelopeId}`);
      return body.status === 'queued' ? undefined : true;
    });
  }

  it('goes on behind a gap after its data was put back to an earlier state, and says so', async () => {
    await send(alice);
    await copyOf(alice, 'backup');
    const forgotten = await send(alice);
    await reported(alice, forgotten.envelope_id);
    await alice.stop();
    await rm(data('alice'), { recursive: true });
    await cp(data('backup'), data('alice'), { recursive: true });
    await alice.start();
    const state = await happens('the hub tells of it', async () => {
      const found = await signing(alice.url);
      return found.state === 'degraded' ? found : undefined;
    });
    assert.match(state.detail, /^epoch \d+ is tainted and is never batched: hub \w+ holds envelope \d+ of epoch/);
    assert.deepEqual([state.stopped, state.tainted], [0, 1]);
    const next = await send(alice);
    assert.ok(seqOfNonce(next.nonce) > JUMP, `${seqOfNonce(next.nonce)}`);
    await alice.restart();
    assert.equal((await signing(alice.url)).tainted, 1);
    assert.equal((await alice.post('/envelopes/send', DISCOVER)).status, 200);
  });

  it('stops signing when a hub sees another live process of it', async () => {
    await copyOf(alice, 'copy');
    await happens('the hub knows alice', async () => ((await alice.client.peers()).length > 0 ? true : undefined));
    const copy = await startNode({
      parts: { adapters, plugins: {} },
      log: silentLog,
      config: {
        value: {
          listen: '127.0.0.1:0',
          dataDir: data('copy'),
          network: { id: 'mesh-tests' },
          mesh: { aggregators: [mesh.aggregatorNode.url] },
          plugins: {},
        },
        folder: mesh.folder,
      },
    });
    copies.push(copy);
    const refusal = await happens('alice is told', async () => {
      const answer = await alice.post('/envelopes/send', DISCOVER);
      return answer.status === 200 ? undefined : answer;
    });
    assert.deepEqual([refusal.status, refusal.body.code], [503, 'identity_in_use']);
    assert.match(refusal.body.detail, /Stop the other process, then restart this one/);
    const wish = { recipient: mesh.nodes.bob.id, amount_usdc: '1', message: 'x' };
    assert.equal((await alice.post('/negotiate/propose', wish)).body.code, 'identity_in_use');
    const state = await signing(alice.url);
    assert.match(state.detail, /^identity_in_use: Another process was seen living under the key of this node/);
    assert.equal(state.stopped, 1);
    const other = new NodeClient({ url: copy.url, secret: copy.apiSecret });
    const taken = await other.send(DISCOVER);
    assert.ok(seqOfNonce(taken.nonce) > 0);
    await copies.pop()!.stop();
    await alice.restart();
    const back = await happens('alice is told of what the copy signed', async () => {
      const sent = await send(alice);
      return seqOfNonce(sent.nonce) > JUMP ? sent : undefined;
    });
    assert.ok(back.nonce > taken.nonce);
  });
});

describe('a node whose clock is wrong', function () {
  this.timeout(60_000);

  it('signs nothing while its hubs say so', async () => {
    let wrong = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + wrong };
    const mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', clocks: { alice: clock } });
    try {
      const { alice } = mesh.nodes;
      await send(alice);
      wrong = 45_000;
      await alice.restart();
      const refusal = await happens('the hub has told the time', async () => {
        const answer = await alice.post('/envelopes/send', DISCOVER);
        return answer.status === 200 ? undefined : answer;
      });
      assert.deepEqual([refusal.status, refusal.body.code], [503, 'clock_skewed']);
      assert.match(refusal.body.detail, /The clock of this machine is 4[45] seconds ahead of its hubs\. Set it/);
      const state = await signing(alice.url);
      assert.deepEqual([state.state, state.stopped], ['degraded', 1]);
      wrong = 0;
      await alice.restart();
      await send(alice);
    } finally {
      await mesh.stop();
    }
  });

  const send = (member: Member) => member.client.send(DISCOVER);
});
