import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { Guest } from './support/hosted.ts';

const MIB = 1024 * 1024;

describe('deliveries of hosted agents of up to 10 MiB', function () {
  this.timeout(90_000);
  let mesh: Mesh<'inn' | 'far'>;
  let inn: Member;
  let far: Member;
  let ann: Guest;
  before(async () => {
    const plugins = { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } };
    const api = { unlimited: ['127.0.0.1'] };
    mesh = await startMesh({ nodes: ['inn', 'far'], storage: 'lowdb', own: { inn: { plugins, api }, far: { api } } });
    ({ inn, far } = mesh.nodes);
    ann = await Guest.register(() => inn, { name: 'ann' });
  });
  after(() => mesh?.stop());

  async function agreed(): Promise<string> {
    const offer = { recipient: ann.id, message: 'a picture', amount_usdc: '1', escrow: false };
    const { conversation_id } = (await far.post('/negotiate/propose', offer)).body;
    await ann.dealWhen(conversation_id, 'proposed');
    await ann.does('POST /hosted/negotiate/accept', { conversation_id });
    await far.dealWhen(conversation_id, ({ state }) => state === 'accepted');
    return conversation_id;
  }

  it('reach the requester as they were made, and a byte more is 413', async () => {
    const [conversation_id, bytes] = [await agreed(), randomBytes(10 * MIB)];
    const over = Buffer.concat([bytes, Buffer.of(1)]).toString('base64');
    const refused = await ann.call('POST /hosted/deliver', { conversation_id, content_b64: over });
    assert.deepEqual([refused.status, refused.body.code], [413, 'payload_too_large']);
    await ann.does('POST /hosted/deliver', { conversation_id, content_b64: bytes.toString('base64') });
    await far.dealWhen(conversation_id, ({ state }) => state === 'delivered');
    const headers = { authorization: `Bearer ${far.secret}` };
    const got = await happens(
      'far has it',
      async () => {
        const response = await fetch(`${far.url}/deals/${conversation_id}/delivery`, { headers });
        const body = Buffer.from(await response.arrayBuffer());
        return response.status === 200 ? body : undefined;
      },
      60_000,
    );
    assert.ok(got.equals(bytes));
  });

  /** Begins a call with a large body, which goes on as long as `end` is not called. */
  function begun() {
    const headers = { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' };
    const call = request(`${inn.url}/hosted/deliver`, {
      method: 'POST',
      headers: { ...headers, 'content-length': 3 * MIB },
    });
    const answered = new Promise<{ status: number; body: any }>((resolve, reject) => {
      call.once('error', reject).once('response', (response) => {
        let text = '';
        response.on('data', (more) => {
          text += more;
        });
        response.once('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
      });
    });
    answered.catch(() => {});
    call.write(' '.repeat(MIB));
    return { answered, end: () => call.end(`${' '.repeat(2 * MIB - 2)}{}`), destroy: () => call.destroy() };
  }

  it('are held two at a time for one address, whichever of its agents send them; the node itself goes on', async () => {
    const [first, second] = [begun(), begun()];
    try {
      const third = await happens('a third one is refused', async () => {
        const one = begun();
        const early = new Promise<undefined>((later) => setTimeout(later, 500, undefined));
        const answer = await Promise.race([one.answered, early]);
        one.destroy();
        return answer?.status === 429 ? answer : undefined;
      });
      assert.equal(third.body.code, 'rate_limited');
      const small = await ann.call('POST /hosted/deliver', { conversation_id: 'ab'.repeat(16), content: 'small' });
      assert.equal(small.status, 404);
      const own = { conversation_id: 'ab'.repeat(16), content_b64: randomBytes(3 * MIB).toString('base64') };
      assert.equal((await inn.post('/deliver', own)).status, 404);
      first.end();
      assert.equal((await first.answered).status, 400);
      const next = begun();
      next.end();
      assert.equal((await next.answered).status, 400);
    } finally {
      first.destroy();
      second.destroy();
    }
  });
});
