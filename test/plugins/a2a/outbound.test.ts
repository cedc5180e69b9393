import assert from 'node:assert/strict';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Elsewhere } from './support/elsewhere.ts';
import { worksAt } from './support/worker.ts';

const TOKEN = 'a-token-for-tests-only';

describe('the owner of a node hires an A2A agent elsewhere', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let ended: () => Promise<void>;
  let elsewhere: Elsewhere;

  before(async () => {
    elsewhere = await Elsewhere.start();
    const allowed = {
      $grant: [`http:${new URL(elsewhere.url).host}`],
      outbound: { tokens: [{ origin: elsewhere.url, token: TOKEN }] },
    };
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      plugins: { alice: [a2aPlugin], bob: [a2aPlugin] },
      own: {
        alice: { plugins: { a2a: allowed } },
        bob: { plugins: { a2a: { guests: true } } },
      },
    });
    // The owner allows bob's port, which is known only now.
    allowed.$grant.push(`http:${new URL(mesh.nodes.bob.url).host}`);
    await mesh.nodes.alice.restart();
    ended = worksAt(mesh.nodes.bob);
  });
  after(async () => {
    await ended?.();
    await mesh?.stop();
    await elsewhere?.end();
  });

  async function call(method: string, path: string, body?: object): Promise<any> {
    const headers = { authorization: `Bearer ${mesh.nodes.alice.secret}`, 'content-type': 'application/json' };
    const response = await fetch(`${mesh.nodes.alice.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }
  const begin = (card_url: string, message: string) => call('POST', '/a2a/jobs', { card_url, message });
  const ends = (id: string, state: string) =>
    happens(`the job is ${state}`, async () => {
      const job = await call('GET', `/a2a/jobs/${id}`);
      return job.state === state ? job : undefined;
    });

  it('gives a task to an agent of another node by its signed card, and gets the work', async () => {
    const begun = await begin(mesh.nodes.bob.url, 'Count the words.');
    assert.deepEqual([begun.status, begun.agent.signature], [200, 'valid']);
    const job = await ends(begun.id, 'completed');
    assert.equal(job.artifacts[0].parts[0].text, 'Done: Count the words.');
    assert.equal(job.error, null);
    const { jobs } = await call('GET', '/a2a/jobs');
    assert.equal(jobs[0].id, begun.id);
    assert.equal((await mesh.nodes.alice.client.deals({})).deals.length, 0, 'a job is no deal');
  });

  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
    it(`talks with an agent that asks back, over ${binding}, under the token of its origin`, async () => {
      elsewhere.card = elsewhere.cardOf(binding);
      const begun = await begin(`${elsewhere.url}/`, 'ask');
      assert.deepEqual([begun.status, begun.state, begun.text], [200, 'input_required', 'Which one?']);
      assert.equal(begun.agent.signature, 'none');
      const answered = await call('POST', `/a2a/jobs/${begun.id}/messages`, { message: 'The second.' });
      assert.deepEqual([answered.status, answered.state], [200, 'completed']);
      assert.deepEqual(answered.artifacts[0].parts, [{ text: 'You chose: The second.' }]);
      assert.ok(elsewhere.tokens.every((one) => one === `Bearer ${TOKEN}`));
      const again = await call('POST', `/a2a/jobs/${begun.id}/messages`, { message: 'And now?' });
      assert.deepEqual([again.status, again.detail], [409, 'The job has ended: completed.']);
    });
  }

  it('takes a message as the work of an agent that makes no task, and cancels one that it made', async () => {
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    const direct = await begin(elsewhere.url, 'direct');
    assert.deepEqual([direct.state, direct.text], ['completed', 'At once.']);
    const slow = await begin(elsewhere.url, 'slow');
    assert.equal(slow.state, 'working');
    assert.equal((await call('POST', `/a2a/jobs/${slow.id}/cancel`)).state, 'canceled');
  });

  it('refuses a card that is none, that speaks another version, or whose signature does not hold', async () => {
    const good: any = await (await fetch(`${mesh.nodes.bob.url}/.well-known/agent-card.json`)).json();
    const refusals: [unknown, RegExp][] = [
      [[], /is no card of an A2A agent: it is not a JSON object/],
      [{ ...elsewhere.cardOf('JSONRPC'), name: '' }, /it has no name/],
      [
        {
          name: 'Old',
          supportedInterfaces: [{ url: elsewhere.url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
        },
        /no interface of A2A 1\.0/,
      ],
      [good, /no interface of A2A 1\.0 .* at its own host/],
      [
        elsewhere.signed({ ...good, supportedInterfaces: elsewhere.cardOf('JSONRPC').supportedInterfaces }),
        /its signature does not hold/,
      ],
    ];
    for (const [card, words] of refusals) {
      elsewhere.card = card;
      const refused = await begin(elsewhere.url, 'hello');
      assert.deepEqual([refused.status, refused.code], [502, 'upstream_failed']);
      assert.match(refused.detail, words);
    }
    // The key set of another host says nothing about this one.
    const { capabilities: _, ...others } = good;
    elsewhere.card = { ...others, supportedInterfaces: elsewhere.cardOf('JSONRPC').supportedInterfaces };
    assert.equal((await begin(elsewhere.url, 'direct')).agent.signature, 'unchecked');
  });

  it('names the field that is wrong', async () => {
    for (const card_url of ['ftp://agent.example', 'https://user@agent.example', 'not a URL']) {
      const refused = await begin(card_url, 'hello');
      assert.deepEqual(
        [refused.status, refused.code, refused.fields[0].pointer],
        [400, 'invalid_request', '/card_url'],
      );
    }
    assert.equal((await call('GET', `/a2a/jobs/${'0'.repeat(32)}`)).status, 404);
  });

  it('says of a message whose answer was lost that it is unclear, and never sends it twice', async () => {
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    const before = elsewhere.messages;
    const lost = await begin(elsewhere.url, 'cut');
    assert.deepEqual([lost.status, lost.state], [200, 'unclear']);
    assert.equal(elsewhere.messages, before + 1);
  });

  it('does not send a message again that was under way when the node ended', async () => {
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    const before = elsewhere.messages;
    const hanging = begin(elsewhere.url, 'hang').catch(() => undefined);
    await happens('the message is there', async () => elsewhere.messages > before || undefined);
    await mesh.nodes.alice.restart();
    await hanging;
    const { jobs } = await call('GET', '/a2a/jobs?limit=1');
    assert.deepEqual([jobs[0].message, jobs[0].state], ['hang', 'unclear']);
    assert.match(jobs[0].error, /is not sent again/);
    assert.equal(elsewhere.messages, before + 1);
  });

  it('survives every malformed answer', async () => {
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    for (const malformed of MALFORMED) {
      elsewhere.malformed = malformed;
      const job = await begin(elsewhere.url, 'malformed');
      assert.equal(job.status, 200, malformed);
      assert.ok(['unclear', 'failed'].includes(job.state), `${malformed} made the job ${job.state}`);
      assert.ok(job.error.length > 10);
    }
    elsewhere.malformed = JSON.stringify({
      result: {
        task: {
          id: 't',
          contextId: 7,
          status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'a\u202eb\u0007' }] } },
        },
      },
    });
    assert.equal((await begin(elsewhere.url, 'malformed')).text, 'ab');
  });
});

const MALFORMED = [
  '',
  'null',
  '[]',
  '{"result":null}',
  '{"result":{"task":{"id":"","status":{"state":"TASK_STATE_WORKING"}}}}',
  '{"result":{"task":{"id":"x","status":{"state":"TASK_STATE_DONE"}}}}',
  '{"error":{"code":-32004,"message":"No."}}',
  '{"error":"no"}',
  `{"result":{"task":{"id":"${'x'.repeat(300)}","status":{"state":"TASK_STATE_WORKING"}}}}`,
  `{"result":"${'x'.repeat(5 * 1024 * 1024)}"}`,
  `{"result":{"task":{"id":"x","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}]}}}`,
];
