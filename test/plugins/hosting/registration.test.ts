import assert from 'node:assert/strict';
import { request } from 'node:http';
import { BriskClock } from '../../support/brisk-clock.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { ask } from './support/hosted.ts';

describe('registrations at a host', function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  let mesh: Mesh<'small' | 'slow' | 'fair'>;
  let small: Member;
  let slow: Member;
  let fair: Member;
  before(async () => {
    const unlimited = { api: { unlimited: ['127.0.0.1'] } };
    mesh = await startMesh({
      clock,
      storage: 'lowdb',
      nodes: ['small', 'slow', 'fair'],
      own: {
        small: { plugins: { hosting: { hostAgents: true, maxAgents: 3, maxPerAddress: 3 } } },
        slow: { plugins: { hosting: { hostAgents: true, registrationsPerMinute: 5 } }, ...unlimited },
        fair: { plugins: { hosting: { hostAgents: true, maxAgents: 8 } } },
      },
    });
    ({ small, slow, fair } = mesh.nodes);
  });
  after(() => mesh?.stop());
  const register = (member: Member, body?: object) => ask(member.url, 'POST /hosted/register', undefined, body);

  it('end where the operator set the end, also when many come at once, and begin again when an agent goes', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(small)));
    const taken = answers.filter(({ status }) => status === 200);
    assert.equal(taken.length, 3);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status, body }) => status === 503 && body.code === 'host_full'));
    assert.equal(refused[0]?.headers.get('retry-after'), '3600');
    const [first] = taken;
    assert.equal((await ask(small.url, 'DELETE /hosted/session', first!.body.token)).status, 200);
    assert.equal((await register(small)).status, 200);
    assert.equal((await register(small)).status, 503);
  });

  it('are ten a minute for one address', async () => {
    assert.equal((await register(small)).status, 429);
    clock.shift(60_000);
    assert.equal((await register(small)).status, 503);
  });

  it('are bounded for all addresses together', async () => {
    const answers = [];
    for (let i = 0; i < 7; i += 1) answers.push(await register(slow));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429, 429],
    );
    assert.ok(Number(answers[6]!.headers.get('retry-after')) >= 1);
    clock.shift(13_000);
    assert.equal((await register(slow)).status, 200);
    assert.equal((await register(slow)).status, 429);
  });

  it('of one address leave places for the next one, over a restart too, and come back when its agents go', async () => {
    const [one, other, third] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
    const from = async (address: string, count: number) => {
      const answers = [];
      for (let i = 0; i < count; i += 1) answers.push(await registerFrom(fair, address));
      return answers;
    };
    const codes = (answers: readonly Registered[]) => answers.map(({ status, body }) => body.code ?? status);
    const first = await from(one, 4);
    assert.deepEqual(codes(first), [200, 200, 'host_full', 'host_full']);
    assert.match(first[2]!.body.detail, /^2 agents of your address are hosted here, and it may have 2 of the 8 places/);
    assert.deepEqual(codes(await from(other, 3)), [200, 200, 'host_full']);
    await fair.restart();
    assert.deepEqual(codes(await from(one, 1)), ['host_full']);
    assert.deepEqual(codes(await from(third, 2)), [200, 'host_full']);
    assert.equal((await ask(fair.url, 'DELETE /hosted/session', first[0]!.body.token)).status, 200);
    assert.deepEqual(codes(await from(one, 2)), [200, 'host_full']);
  });

  it('say which member is wrong', async () => {
    clock.shift(60_000);
    for (const [body, pointer] of [
      [{ name: 'x'.repeat(65) }, '/name'],
      [{ name: '\u00e9' }, '/name'],
      [{ name: 7 }, '/name'],
      [{ recovery_key: 'x' }, '/recovery_key'],
    ] as const) {
      const { status, body: answer } = await register(slow, body);
      assert.deepEqual([status, answer.fields?.[0].pointer], [400, pointer], JSON.stringify(answer));
    }
    const { body } = await register(slow, { name: 'ann', recovery_key: slow.id });
    assert.equal(body.name, 'ann');
  });
});

interface Registered {
  readonly status: number;
  readonly body: any;
}

function registerFrom(member: Member, localAddress: string): Promise<Registered> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', localAddress, headers, agent: false } as const;
    const sent = request(`${member.url}/hosted/register`, options, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, body: JSON.parse(text) }));
    });
    sent.on('error', reject).end('{}');
  });
}
