import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { mesh } from './terminal.ts';

type Started = Awaited<ReturnType<typeof startNode>>;

describe('mesh commands that ask a running node', function () {
  this.timeout(90_000);
  let folder = '';
  let aggregator: Started;
  let requester: Started;
  let worker: Started;
  let workerId = '';
  let conversation = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    aggregator = await start('aggregator', []);
    requester = await start('requester', [aggregator.url], { readAuth: true });
    worker = await start('worker', [aggregator.url]);
    const asks = new NodeClient({ url: requester.url, secret: requester.apiSecret });
    const works = new NodeClient({ url: worker.url, secret: worker.apiSecret });
    workerId = (await works.identity()).agent_id;
    await works.send({ msg_type: 'ADVERTISE', payload: { capabilities: ['translation'] } });
    const offer = { recipient: workerId, amount_usdc: '2.5', message: 'Translate this.' };
    conversation = (await asks.propose(offer)).conversation_id;
    await eventually(async () => (await works.deals()).deals.length === 1);
  });

  after(async () => {
    await Promise.all([worker?.stop(), requester?.stop(), aggregator?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('identity says who it is, for people and as JSON', async () => {
    const { code, out } = await mesh(['identity', '--url', worker.url]);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^agent_id +${workerId}$`, 'm'));
    assert.equal(JSON.parse((await mesh(['identity', '--url', worker.url, '--json'])).out).agent_id, workerId);
  });

  it('deals lists them, also by state', async () => {
    const { out } = await mesh(['deals', '--url', worker.url]);
    assert.match(out, new RegExp(`^${conversation} +proposed +provider +2\\.5 +\\S+$`, 'm'));
    const settled = await mesh(['deals', '--url', worker.url, '--state', 'settled', '--json']);
    assert.deepEqual(JSON.parse(settled.out), []);
    const wrong = await mesh(['deals', '--url', worker.url, '--state', 'lost']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.error, /^--state takes proposed, .*, not lost$/m);
  });

  it('deals shows one in full, with what this node may do', async () => {
    const { code, out } = await mesh(['deals', conversation, '--url', worker.url]);
    assert.equal(code, 0);
    for (const line of [/^asks for +Translate this\.$/m, /^you may +.*accept/m, /^amount +2\.5 USDC/m])
      assert.match(out, line);
    const none = await mesh(['deals', '0'.repeat(32), '--url', worker.url, '--json']);
    assert.deepEqual([none.code, JSON.parse(none.out).status], [1, 404]);
  });

  it('status says in words who it is, how it is, and which deal waits for it', async () => {
    const { code, out, error } = await mesh(['status', '--url', worker.url, '--secret', worker.apiSecret]);
    assert.equal(code, 0, error);
    assert.match(out, new RegExp(`^(ok|degraded): node 0\\.1\\.0 at ${worker.url}\n {2}agent +${workerId}, worker\n`));
    assert.match(out, /^ {2}wallet +This node has no ledger; start it with --rpc-url\.$/m);
    assert.match(out, /^ {2}deals +1 open$/m);
    assert.match(out, /^ {2}inbox +1 not acknowledged$/m);
    assert.match(
      out,
      new RegExp(
        `^Needs you:\n(.*\n)* {2}deal ${conversation}: proposed, 2\\.5 USDC with \\S+: accept or counter or reject \\(mesh deals`,
        'm',
      ),
    );
    const found = JSON.parse((await mesh(['status', '--url', worker.url, '--json'])).out);
    assert.deepEqual([found.ok, found.identity.agent_id, found.open_deals.length], [true, workerId, 1]);
    const index = await mesh(['status', '--url', aggregator.url]);
    assert.match(index.out, /: aggregator 0\.1\.0 at /);
    const refused = await mesh(['status', '--url', requester.url]);
    assert.equal(refused.code, 1);
    assert.match(refused.error, /^The node asks for its own API secret; give it with --secret/);
  });

  it('propose makes an offer, with terms', async () => {
    const terms = ['--amount', '1.25', '--deadline', '2h', '--review', '30m', '--max-rounds', '3', '--no-escrow'];
    const asking = ['--url', requester.url, '--secret', requester.apiSecret];
    const { code, out, error } = await mesh(['propose', workerId, 'Translate that.', ...terms, ...asking, '--json']);
    assert.equal(code, 0, error);
    const { deal } = JSON.parse(out);
    const { state, amount_usdc, message, deadline_secs, review_secs, max_rounds, escrow } = deal;
    assert.deepEqual(
      { state, amount_usdc, message, deadline_secs, review_secs, max_rounds, agreed: escrow.agreed },
      {
        ...{ state: 'proposed', amount_usdc: '1.25', message: 'Translate that.', deadline_secs: 7_200 },
        ...{ review_secs: 1_800, max_rounds: 3, agreed: false },
      },
    );
    for (const [args, said] of [
      [['nobody', 'text'], /^AGENT takes an agent's id, not nobody; mesh agents/],
      [[workerId, ' '], /^TEXT is empty$/],
      [[workerId, 'text', '--amount', 'much'], /^--amount takes USDC such as 1\.5, not much$/],
      [[workerId, 'text', '--deadline', 'soon'], /^--deadline takes seconds, or such as 30m, 12h, 3d, not soon$/],
      [[workerId, 'text', '--max-rounds', 'x'], /^--max-rounds takes a whole number/],
    ] as const) {
      const refused = await mesh(['propose', ...args, ...asking]);
      assert.equal(refused.code, 2);
      assert.match(refused.error, said);
    }
  });

  it('send says a text to an agent, which inbox shows and a follower hears', async () => {
    const asking = ['--url', requester.url, '--secret', requester.apiSecret];
    const inbox = new MeshProcess(['inbox', '--follow', '--json', '--url', worker.url, '--secret', worker.apiSecret]);
    try {
      await inbox.until(() => inbox.out.includes('PROPOSE'), 'what waits');
      const { code, out, error } = await mesh(['send', workerId, 'Can you read Korean?', ...asking]);
      assert.equal(code, 0, error);
      assert.match(out, /^(queued|delivered): envelope [0-9a-f]{64}, conversation [0-9a-f]{32}$/m);
      await inbox.until(() => inbox.out.includes('Korean'), 'the message');
      assert.equal((await inbox.stop('SIGINT')).code, 0, inbox.err);
      const types = inbox.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg_type);
      assert.equal(types.at(-1), 'MESSAGE');
      assert.equal(types.filter((type) => type === 'MESSAGE').length, 1);
    } finally {
      await inbox.kill();
    }
    assert.match((await mesh(['inbox', '--url', worker.url])).out, /^\d+ +MESSAGE +\S+ +\S+ +Can you read Korean\?$/m);
    const refused = await mesh(['send', workerId, 'text', '--conversation', 'x', ...asking]);
    assert.equal(refused.code, 1);
    assert.match(refused.error, /conversation_id/);
  });

  it('send and propose say in plain words that it is this node itself, or that nobody has heard of the agent', async () => {
    const asking = ['--url', requester.url, '--secret', requester.apiSecret];
    const own = JSON.parse((await mesh(['identity', ...asking, '--json'])).out).agent_id;
    for (const name of ['send', 'propose']) {
      const { code, error } = await mesh([name, own, 'text', ...asking]);
      assert.deepEqual([code, error], [1, 'recipient is the sender itself; mesh agents lists the others']);
    }
    const stranger = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
    const { code, out } = await mesh(['send', stranger, 'text', ...asking]);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^This node has not heard of ${stranger}: see with mesh agents whether the id`, 'm'));
  });

  it('agents takes the options of the others, and asks the aggregator that the node uses', async () => {
    const known = new RegExp(`^${workerId} +worker `, 'm');
    const asking = ['--api-addr', requester.url.replace('http://', ''), '--secret', requester.apiSecret];
    for (const args of [asking, ['--url', worker.url], ['--url', aggregator.url], ['--aggregator-url', aggregator.url]])
      assert.match((await mesh(['agents', ...args])).out, known);
  });

  it('inbox shows what came and was not acknowledged', async () => {
    const { code, out } = await mesh(['inbox', '--url', worker.url]);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^\\d+ +PROPOSE +${conversation} `, 'm'));
  });

  it('agents asks the aggregator, also by capability', async () => {
    const list = async (...args: string[]) =>
      JSON.parse((await mesh(['agents', '--json', '--url', aggregator.url, ...args])).out) as { agent_id: string }[];
    await eventually(async () => (await list('--capability', 'translation')).length === 1);
    assert.equal((await list('--capability', 'translation'))[0]!.agent_id, workerId);
    assert.match((await mesh(['agents', '--url', aggregator.url])).out, new RegExp(`^${workerId} +worker `, 'm'));
  });

  it('find address and secret where the configuration says', async () => {
    const config = join(folder, 'plugins.json');
    const listen = requester.url.replace('http://', '');
    await writeFile(config, JSON.stringify({ listen, dataDir: './requester', plugins: {} }));
    assert.equal((await mesh(['deals', '--config', config])).code, 0);
    assert.equal((await mesh(['deals', '--url', requester.url, '--secret', requester.apiSecret])).code, 0);
    const refused = await mesh(['deals', '--url', requester.url, '--secret', 'another-secret-for-tests']);
    assert.equal(refused.code, 1);
    assert.doesNotMatch(refused.error, /another-secret/);
  });

  it('say in a sentence that nobody is there, or that the line is wrong', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    for (const name of ['identity', 'deals', 'inbox', 'agents', 'stake']) {
      const { code, error } = await mesh([name, '--url', url]);
      assert.equal(code, 1);
      const whom = name === 'agents' ? 'node or aggregator' : 'node';
      assert.match(
        error,
        new RegExp(`^No ${whom} answers at ${url}: nothing listens there\\. Start one with mesh start[, ]`),
      );
      assert.doesNotMatch(error, /GET|HTTP/);
    }
    assert.equal((await mesh(['deals', '--url', 'localhost'])).code, 2);
    assert.equal((await mesh(['deals', '--colour'])).code, 2);
    for (const args of [['add'], ['add', 'ten'], ['leave']])
      assert.equal((await mesh(['stake', ...args, '--url', url])).code, 2);
  });

  function start(name: string, aggregators: string[], api = {}): Promise<Started> {
    return startNode({
      parts: { adapters, plugins: {} },
      log: silentLog,
      grace: 500,
      config: {
        value: {
          profile: name === 'aggregator' ? 'aggregator' : 'node',
          listen: '127.0.0.1:0',
          dataDir: join(folder, name),
          agent: { name },
          mesh: { aggregators },
          storage: { use: 'memory' },
          api,
          plugins: {},
        },
      },
    });
  }
});
