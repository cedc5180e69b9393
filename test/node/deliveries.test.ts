import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../core/platform/bytes.ts';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation } from '../aggregator/support/agent.ts';
import { accepted, delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { Stranger } from '../support/stranger.ts';

const MIB = 1024 * 1024;
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a delivery above 48 KiB', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    const core = { deliveries: { keepDays: 2, totalMiB: 24 } };
    const roomy = { deliveries: { keepDays: 2, totalMiB: 64 } };
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'carol'],
      storage: 'lowdb',
      own: { bob: { core }, alice: { core: roomy } },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const read = async (member: Member, conversation: string) => {
    const response = await fetch(`${member.url}/deals/${conversation}/delivery`, {
      headers: { authorization: `Bearer ${member.secret}` },
    });
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
  };
  const blobsOf = async (name: string): Promise<string[]> => {
    const files = await readdir(join(mesh.folder, name, 'blobs'), { recursive: true }).catch(() => []);
    return files.map((file) => file.split('/').at(-1)!).filter((file) => /^[0-9a-f]{64}$/.test(file));
  };
  const frameOf = async (conversation: string): Promise<any> => {
    const { frames } = await alice.client.inboxPage({ limit: 200, conversation_id: conversation });
    return frames.find(({ msg_type }) => msg_type === 'DELIVER');
  };
  const problem = ({ bytes }: { bytes: Uint8Array }) => JSON.parse(Buffer.from(bytes).toString());

  it('is kept by its provider and fetched by the node of the requester, with the hash that was signed', async () => {
    for (const [how, bytes] of [
      ['content', Buffer.from('x'.repeat(200_000))],
      ['content_b64', randomBytes(3 * MIB)],
    ] as const) {
      const conversation_id = await accepted(alice, bob);
      const content = how === 'content' ? bytes.toString() : bytes.toString('base64');
      const sent = await bob.post('/deliver', { conversation_id, [how]: content, content_type: 'image/png' });
      assert.deepEqual([sent.status, sent.body.deal?.state], [200, 'delivered'], JSON.stringify(sent.body));
      await alice.dealWhen(conversation_id, 'delivered');
      const { payload } = await frameOf(conversation_id);
      assert.match(payload.payload_uri, new RegExp(`^mesh://${bob.id}/[0-9a-f]{64}$`));
      assert.deepEqual([payload.payload_size, payload.content_type], [bytes.length, 'image/png']);
      await happens('alice has it, unasked', async () => {
        const cid = payload.payload_uri.split('/').at(-1);
        return (await blobsOf('alice')).includes(cid) || undefined;
      });
      const got = await read(alice, conversation_id);
      assert.deepEqual([got.status, got.headers.get('content-type')], [200, 'application/octet-stream']);
      assert.equal(sha(got.bytes), sha(bytes));
    }
  });

  it('goes through /envelopes/send too', async () => {
    for (const how of ['payload', 'payload_b64']) {
      const conversation_id = await accepted(alice, bob);
      const bytes = randomBytes(100_000);
      const content = bytes.toString('base64');
      const said = how === 'payload' ? { payload: { inline_b64: content } } : { payload_b64: content };
      const head = { msg_type: 'DELIVER', recipient: alice.id, conversation_id };
      const sent = await bob.post('/envelopes/send', { ...head, ...said });
      assert.deepEqual([sent.status, sent.body.status], [200, 'delivered'], JSON.stringify(sent.body));
      assert.equal(sha((await read(alice, conversation_id)).bytes), sha(bytes));
    }
  });

  it('waits for a provider that is away, over restarts of both', async () => {
    const conversation_id = await accepted(alice, bob);
    const bytes = randomBytes(70_000);
    await alice.stop();
    await bob.post('/deliver', { conversation_id, content_b64: bytes.toString('base64') });
    await bob.restart();
    await alice.start();
    await alice.dealWhen(conversation_id, 'delivered');
    await happens('alice has it', async () => {
      const got = await read(alice, conversation_id);
      return (got.status === 200 && sha(got.bytes) === sha(bytes)) || undefined;
    });
  });

  it('that is damaged at its provider never arrives, and says so until it is mended', async () => {
    const conversation_id = await accepted(alice, bob);
    const bytes = randomBytes(70_000);
    await alice.stop();
    await bob.post('/deliver', { conversation_id, content_b64: bytes.toString('base64') });
    const before = await blobsOf('alice');
    const [cid] = (await blobsOf('bob')).filter((name) => !before.includes(name));
    const file = join(mesh.folder, 'bob', 'blobs', cid!.slice(0, 2), cid!.slice(2, 4), cid!);
    await writeFile(file, randomBytes(70_000));
    await alice.start();
    await alice.dealWhen(conversation_id, 'delivered');
    const missing = await read(alice, conversation_id);
    assert.deepEqual([missing.status, problem(missing).code], [502, 'upstream_failed']);
    assert.match(problem(missing).detail, /not here yet: its provider does not have it/);
    await writeFile(file, bytes);
    assert.equal(sha((await read(alice, conversation_id)).bytes), sha(bytes));
  });

  it('above 10 MiB is 413, and nothing of it is kept or sent', async () => {
    const conversation_id = await accepted(alice, bob);
    const before = await blobsOf('bob');
    const content_b64 = Buffer.alloc(10 * MIB + 1).toString('base64');
    const large = await bob.post('/deliver', { conversation_id, content_b64 });
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
    assert.match(large.body.detail, /at most 10485760 bytes; this has 10485761/);
    const huge = await bob.post('/deliver', {
      conversation_id,
      content_b64: Buffer.alloc(13 * MIB).toString('base64'),
    });
    assert.equal(huge.status, 413);
    assert.deepEqual(await blobsOf('bob'), before);
    assert.equal((await bob.client.deal(conversation_id)).state, 'accepted');
  });

  it('beyond what all of them may take is 413 with the setting to raise', async () => {
    for (let i = 0; i < 4; i++) {
      const conversation_id = await accepted(alice, bob);
      const { status, body } = await bob.post('/deliver', {
        conversation_id,
        content_b64: randomBytes(8 * MIB).toString('base64'),
      });
      if (status === 200) continue;
      assert.deepEqual([status, body.code], [413, 'payload_too_large']);
      assert.match(body.detail, /raise core\.deliveries\.totalMiB/);
      return;
    }
    assert.fail('there is a bound');
  });

  it('that is sealed lies sealed at both nodes, and is opened for the agent of the requester alone', async () => {
    for (const path of ['/deliver', '/envelopes/send']) {
      const conversation_id = await accepted(alice, bob);
      const bytes = Buffer.concat([Buffer.from('between us'), randomBytes(MIB)]);
      const content = bytes.toString('base64');
      const head = { conversation_id, sealed: true };
      const sent =
        path === '/deliver'
          ? await bob.post(path, { ...head, content_b64: content })
          : await bob.post(path, { ...head, msg_type: 'DELIVER', recipient: alice.id, payload_b64: content });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      await alice.dealWhen(conversation_id, 'delivered');
      const { sealed, payload } = await frameOf(conversation_id);
      assert.match(payload.payload_uri, new RegExp(`^mesh\\+sealed://${bob.id}/[0-9a-f]{64}$`));
      assert.deepEqual([sealed, payload.payload_size], [true, bytes.length + 152]);
      const got = await read(alice, conversation_id);
      assert.deepEqual([got.status, sha(got.bytes)], [200, sha(bytes)]);
      const cid = payload.payload_uri.split('/').at(-1);
      for (const name of ['alice', 'bob']) {
        const kept = await readFile(join(mesh.folder, name, 'blobs', cid.slice(0, 2), cid.slice(2, 4), cid));
        assert.ok(!kept.includes('between us'), name);
      }
    }
  });

  it('that the deal does not take is refused before anything is kept', async () => {
    const conversation_id = await accepted(alice, bob);
    const content = 'x'.repeat(60_000);
    const before = await blobsOf('bob');
    const wrong = await alice.post('/deliver', { conversation_id, content });
    assert.deepEqual([wrong.status, wrong.body.code], [409, 'invalid_transition']);
    assert.ok(!wrong.body.allowed_actions.includes('deliver'));
    assert.deepEqual(await blobsOf('bob'), before);
    const none = await read(alice, conversation_id);
    assert.deepEqual([none.status, problem(none).code], [404, 'not_found']);
    const small = await delivered(alice, bob);
    assert.equal((await read(alice, small)).status, 404);
    assert.equal((await read(mesh.nodes.carol, conversation_id)).status, 404);
  });

  /** A deal of alice's with a stranger, who says that it delivers these bytes. */
  async function deliveredBy(mallory: Stranger, bytes: Uint8Array): Promise<string> {
    const conversation = newConversation();
    const offer = { recipient: mallory.id, conversation_id: conversation, amount_usdc: '1', message: 'Work.' };
    const { envelope_id } = await alice.client.propose(offer);
    const payer = parseAgentId(alice.id)!;
    const to = { identity: { key: payer } } as never;
    const shows = { payer, answers: Buffer.from(envelope_id, 'hex') };
    const agreed = { amount_usdc_micro: 1_000_000n, offer_id: envelope_id };
    const accept = mallory.sign('ACCEPT', { to, conversation, payload: agreed, shows });
    assert.deepEqual(await mallory.send(alice, accept), { outcome: 'acked', reason: 'accepted' });
    const payload_uri = `mesh://${mallory.id}/${toHex(keccak256(bytes))}`;
    const payload = { conversation_id: conversation, payload_uri, payload_size: bytes.length };
    const answers = Buffer.from(accept.id, 'hex');
    const deliver = mallory.sign('DELIVER', { to, conversation, payload, shows: { payer, answers } });
    assert.deepEqual(await mallory.send(alice, deliver), { outcome: 'acked', reason: 'accepted' });
    return conversation;
  }

  it('whose provider falls silent keeps no other delivery waiting', async () => {
    let asked = 0;
    const silent = (): Promise<undefined> => {
      asked += 1;
      return new Promise(() => {});
    };
    const mallory = await Stranger.start(`silent ${newConversation()}`, [alice], { blobFor: silent });
    try {
      for (let index = 0; index < 3; index += 1) await deliveredBy(mallory, randomBytes(70_000));
      await happens('alice asks mallory', async () => asked > 0 || undefined);
      const conversation_id = await accepted(alice, bob);
      const bytes = randomBytes(70_000);
      await bob.post('/deliver', { conversation_id, content_b64: bytes.toString('base64') });
      // Mallory alone takes longer than is waited for here.
      await happens('alice has it, unasked', async () => {
        return (await blobsOf('alice')).includes(toHex(keccak256(bytes))) || undefined;
      });
    } finally {
      await mallory.stop();
    }
  });

  it('is one of twelve that are fetched at the same time, however many are read', async () => {
    let [asked, most] = [0, 0];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const late = async (): Promise<undefined> => {
      asked += 1;
      most = Math.max(most, asked);
      // Those that are too many would have come by then.
      if (asked === 12) setTimeout(open, 300);
      await gate;
      asked -= 1;
    };
    // A peer is asked for one content at a time.
    const crowd = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        Stranger.start(`crowd ${index} ${newConversation()}`, [alice], { blobFor: late }),
      ),
    );
    try {
      const conversations: string[] = [];
      for (const one of crowd) conversations.push(await deliveredBy(one, randomBytes(70_000)));
      const answers = await Promise.all(conversations.map((conversation) => read(alice, conversation)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [502]);
      assert.equal(most, 12);
    } finally {
      open();
      for (const one of crowd) await one.stop();
    }
  });

  it('of one provider takes at most half of what the others leave, and what finds no room is not even fetched', async () => {
    const work = Array.from({ length: 4 }, () => randomBytes(10 * MIB));
    const asked = new Set<string>();
    const giving = async (cid: Uint8Array) => {
      asked.add(toHex(cid));
      return work.find((bytes) => toHex(keccak256(bytes)) === toHex(cid));
    };
    const mallory = await Stranger.start(`large ${newConversation()}`, [alice], { blobFor: giving });
    try {
      const answers = [];
      for (const bytes of work) answers.push(await read(alice, await deliveredBy(mallory, bytes)));
      const taken = answers.filter(({ status }) => status === 200).length;
      assert.ok(taken === 2 || taken === 3, `${taken} of 64 MiB, some of which others have`);
      const { detail } = problem(answers[3]!);
      assert.match(
        detail,
        new RegExp(`Those of ${mallory.id} take up ${taken * 10 * MIB} bytes .*raise core\\.deliveries`),
      );
      const conversation_id = await accepted(alice, bob);
      const bytes = randomBytes(70_000);
      await bob.post('/deliver', { conversation_id, content_b64: bytes.toString('base64') });
      await alice.dealWhen(conversation_id, 'delivered');
      assert.equal(sha((await read(alice, conversation_id)).bytes), sha(bytes), 'of another provider');
      assert.equal(asked.size, taken);
    } finally {
      await mallory.stop();
    }
  });

  it('whose provider sends other bytes than it signed for is not taken', async () => {
    const bytes = randomBytes(70_000);
    const sends = randomBytes(70_000);
    const mallory = await Stranger.start('mallory', [alice], { blobFor: async () => sends });
    try {
      const conversation = await deliveredBy(mallory, bytes);
      const refused = await read(alice, conversation);
      assert.deepEqual([refused.status, problem(refused).code], [502, 'upstream_failed']);
      assert.match(problem(refused).detail, /sent other bytes than those it delivered/);
      assert.ok(!(await blobsOf('alice')).includes(toHex(keccak256(sends))));
    } finally {
      await mallory.stop();
    }
  });

  it('is removed after core.deliveries.keepDays', async () => {
    assert.ok((await blobsOf('bob')).length > 0);
    mesh.advance(2.1 * 86_400);
    await bob.restart();
    await happens('bob keeps nothing', async () => (await blobsOf('bob')).length === 0 || undefined);
    const conversation_id = await accepted(alice, bob);
    const { status } = await bob.post('/deliver', { conversation_id, content: 'x'.repeat(60_000) });
    assert.equal(status, 200, 'there is room again');
  });
});
