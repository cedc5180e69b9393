import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mesh as command } from '../cli/terminal.ts';
import { happens } from '../support/happens.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { watch } from '../support/sockets.ts';
import { hasMembers } from './support/words.ts';

const SECRET = 'the-secret-of-the-operator';
const HOSTING_SECRET = 'the-secret-of-the-directory';

interface Started {
  readonly process: MeshProcess;
  readonly url: string;
}

/** The rows of hosted agents, in the words of the specification and of existing clients, on nodes started by their command alone. */
describe('the rows of hosted agents', function () {
  this.timeout(600_000);
  const started: MeshProcess[] = [];
  let folder = '';
  let aggregator: Started;
  let host: Started;
  let peer: Started;
  let ann: { agent_id: string; token: string };
  let ben: { agent_id: string; token: string };
  let peerId = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    await writeFile(
      join(folder, 'plugins.json'),
      JSON.stringify({ network: { id: 'words' }, api: { openLoopback: true } }),
    );
    aggregator = await start('aggregator', ['--profile', 'aggregator', '--allow-private-peers'], {
      NODE_HOSTING_SECRET: HOSTING_SECRET,
    });
    const join_ = ['--aggregator-url', aggregator.url, '--allow-private-peers'];
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const flags = ['--hosting', '--hosting-fee-bps', '50', '--public-api-addr', `127.0.0.1:${port}`];
    const process = run('host', [...flags, '--public-api-url', url, ...join_], {
      NODE_HOSTING_SECRET: HOSTING_SECRET,
      NODE_API_SECRET: SECRET,
    });
    await serving(process, url);
    host = { process, url };
    peer = await start('peer', join_);
    peerId = ((await (await fetch(`${peer.url}/identity`)).json()) as { agent_id: string }).agent_id;
  });
  after(async () => {
    await Promise.all(started.map((one) => one.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  function run(name: string, args: readonly string[], env: Record<string, string> = {}): MeshProcess {
    const config = ['--config', join(folder, 'plugins.json'), '--data-dir', join(folder, name), '--agent-name', name];
    const process = new MeshProcess(['start', ...config, ...args], { env });
    started.push(process);
    return process;
  }
  async function start(name: string, args: readonly string[], env = {}): Promise<Started> {
    const port = await freePort();
    const process = run(name, ['--api-addr', `127.0.0.1:${port}`, ...args], env);
    const url = `http://127.0.0.1:${port}`;
    await serving(process, url);
    return { process, url };
  }
  async function serving(process: MeshProcess, url: string): Promise<void> {
    // The first process of a checkout builds it.
    await process.until(() => process.err.includes(`at ${url}`), 'the boot report', 300_000);
  }
  async function ask(line: string, { token, body }: { token?: string; body?: object } = {}, at = host.url) {
    const [method, path] = line.split(' ') as [string, string];
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const response = await fetch(at + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  async function taken(line: string, asked: { token?: string; body?: object } = {}, at = host.url): Promise<any> {
    const { status, body } = await ask(line, asked, at);
    assert.equal(status, 200, `${line}: ${JSON.stringify(body)}`);
    return body;
  }

  it('GET /hosted/ping returns {ok: true}', async () => {
    assert.deepEqual(await taken('GET /hosted/ping'), { ok: true });
  });

  it('POST /hosted/register creates a hosted agent: agent_id (base58) and token', async () => {
    ann = await taken('POST /hosted/register');
    ben = await taken('POST /hosted/register', { body: { name: 'ben' } });
    hasMembers(ann, { agent_id: 'base58', token: 'string' });
    assert.notEqual(ann.agent_id, ben.agent_id);
  });

  it('POST /hosted/register refuses a recovery key that nobody can have, by its name', async () => {
    for (const recovery_key of ['1'.repeat(32), 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a']) {
      const { status, body } = await ask('POST /hosted/register', { body: { recovery_key } });
      assert.deepEqual([status, body.fields?.[0].pointer], [400, '/recovery_key'], JSON.stringify(body));
      assert.match(body.detail, /recovery_key/);
    }
  });

  it('GET /hosted/ping is 200 with the token of an agent, and non-200 with one of another state', async () => {
    assert.equal((await ask('GET /hosted/ping', { token: ann.token })).status, 200);
    assert.equal((await ask('GET /hosted/ping', { token: '0'.repeat(64) })).status, 401);
  });

  it('POST /hosted/send sends a message for a hosted agent, signed with the sub-keypair; Bearer token', async () => {
    const conversation_id = '00112233445566778899aabbccddeeff';
    const message = { msg_type: 'MESSAGE', recipient: peerId, conversation_id, payload_hex: '68656c6c6f' };
    assert.equal((await ask('POST /hosted/send', { body: message })).status, 401);
    await taken('POST /hosted/send', { token: ann.token, body: message });
    const frame = await happens('the peer hears it', async () => {
      const { frames } = await taken(`GET /inbox?conversation_id=${conversation_id}`, {}, peer.url);
      return frames[0];
    });
    assert.deepEqual([frame.sender, frame.payload, frame.msg_type], [ann.agent_id, { text: 'hello' }, 'MESSAGE']);
    const camel = {
      msgType: 'MESSAGE',
      recipient: peerId,
      conversationId: conversation_id,
      payload: { text: 'again' },
    };
    await taken('POST /hosted/send', { token: ann.token, body: camel });
    const toAll = { msg_type: 'ADVERTISE', recipient: null, conversation_id, payload: { capabilities: ['haiku'] } };
    await taken('POST /hosted/send', { token: ann.token, body: toAll });
  });

  it('WS /ws/hosted/inbox?token= brings inbound messages in real time, and asks for that token', async () => {
    const wrong = watch(`${host.url}/ws/hosted/inbox?token=${'0'.repeat(64)}`);
    assert.equal((await wrong.refused).status, 401);
    const live = watch(`${host.url}/ws/hosted/inbox?token=${ben.token}`);
    await live.until(1);
    await taken('POST /message', { body: { recipient: ben.agent_id, text: 'are you there?' } }, peer.url);
    await live.until(2);
    hasMembers(live.frames[1], {
      msg_type: ['MESSAGE'],
      sender: [peerId],
      recipient: [ben.agent_id],
      conversation_id: 'string',
      slot: 'integer',
      nonce: 'integer',
      payload_b64: [Buffer.from('are you there?').toString('base64')],
    });
    live.socket.close();
  });

  it('POST /hosted/negotiate/propose, POST /hosted/negotiate/counter, POST /hosted/negotiate/accept; the fee is message_value_usdc * hosting_fee_bps / 10000', async () => {
    const offer = { recipient: peerId, amount_usdc_micro: 2_000_000, message: 'count the words', max_rounds: 3 };
    const without = await ask('POST /hosted/negotiate/propose', { token: ann.token, body: offer });
    assert.deepEqual(
      [without.status, without.body.code, without.body.missing_usdc],
      [402, 'insufficient_funds', '0.01'],
    );
    const credit = ['hosted', 'credit', ann.agent_id, '1', '--url', host.url, '--secret', SECRET];
    assert.match((await command(credit)).out, /^The balance is 1 USDC\.$/m);
    const proposed = await taken('POST /hosted/negotiate/propose', { token: ann.token, body: offer });
    hasMembers(proposed, { conversation_id: 'string', nonce: 'integer', payload_hash: 'string' });
    const { conversation_id } = proposed;
    const known = await happens('the peer has the offer', async () => {
      const { status, body } = await ask(`GET /deals/${conversation_id}`, {}, peer.url);
      return status === 200 ? body : undefined;
    });
    assert.equal(known.requester, ann.agent_id);
    await taken('POST /negotiate/counter', { body: { conversation_id, amount_usdc: '4' } }, peer.url);
    const at = (state: string, usdc: string) =>
      happens(`it is ${state}`, async () => {
        const deal = await taken(`GET /hosted/deals/${conversation_id}`, { token: ann.token });
        return (deal.state === state && deal.amount_usdc === usdc) || undefined;
      });
    await at('countered', '4');
    const counter = { recipient: peerId, conversation_id, amount_usdc_micro: 3_000_000, round: 2, max_rounds: null };
    hasMembers(await taken('POST /hosted/negotiate/counter', { token: ann.token, body: counter }), {
      conversation_id: [conversation_id],
      nonce: 'integer',
      payload_hash: 'string',
    });
    await happens('the peer has it', async () => {
      const deal = await taken(`GET /deals/${conversation_id}`, {}, peer.url);
      return deal.amount_usdc === '3' || undefined;
    });
    await taken('POST /negotiate/counter', { body: { conversation_id, amount_usdc: '3.5' } }, peer.url);
    await at('countered', '3.5');
    const accept = { recipient: peerId, conversation_id, amount_usdc_micro: 3_500_000, message: null };
    hasMembers(await taken('POST /hosted/negotiate/accept', { token: ann.token, body: accept }), {
      conversation_id: [conversation_id],
      nonce: 'integer',
      payload_hash: 'string',
    });
    await happens('three fees are charged', async () => {
      const { lines } = await taken('GET /hosted/statement', { token: ann.token });
      const fees = lines.filter(({ kind }: any) => kind === 'fee').map(({ amount_usdc }: any) => amount_usdc);
      return fees.join() === '0.0175,0.015,0.01' || undefined;
    });
  });

  it('POST /hosted/send takes DISPUTE and BOUNTY too, signed with the sub-keypair', async () => {
    const [deal] = (await taken('GET /hosted/deals', { token: ann.token })).deals;
    const { conversation_id } = deal;
    await taken('POST /deliver', { body: { conversation_id, content: 'three words here' } }, peer.url);
    await happens('it is delivered', async () => {
      const { state } = await taken(`GET /hosted/deals/${conversation_id}`, { token: ann.token });
      return state === 'delivered' || undefined;
    });
    const dispute = {
      msgType: 'DISPUTE',
      recipient: peerId,
      conversationId: conversation_id,
      payload: { reason: 'late' },
    };
    await taken('POST /hosted/send', { token: ann.token, body: dispute });
    await happens('the peer knows of it', async () => {
      const { state } = await taken(`GET /deals/${conversation_id}`, {}, peer.url);
      return state === 'disputed' || undefined;
    });
    const payload = { required_capability: 'haiku', max_budget_usd: 2, task_summary: 'One about the sea' };
    await taken('POST /hosted/send', { token: ann.token, body: { msgType: 'BOUNTY', payload } });
    const [bounty] = await happens('it is open at the aggregator', async () => {
      const all = await taken('GET /bounties', {}, aggregator.url);
      return all.length > 0 ? all : undefined;
    });
    hasMembers(bounty, { required_capability: ['haiku'], max_budget_usd: [2], task_summary: ['One about the sea'] });
    assert.ok(JSON.stringify(bounty).includes(ann.agent_id));
  });

  it('the host is listed by heartbeat: node_id, api_url, fee_bps, uptime_pct, hosted_agent_count, last_seen', async () => {
    const [node] = await happens('it is listed', async () => {
      const nodes = await taken('GET /hosting/nodes', {}, aggregator.url);
      return nodes.length > 0 ? nodes : undefined;
    });
    hasMembers(node, {
      node_id: 'base58',
      api_url: [host.url],
      fee_bps: [50],
      uptime_pct: 'number',
      hosted_agent_count: 'integer',
      last_seen: 'time',
    });
    assert.deepEqual(await taken('GET /hosted/ping', {}, node.api_url), { ok: true });
  });

  it('is operated with mesh hosted: list, register, token, remove', async () => {
    const target = ['--url', host.url, '--secret', SECRET];
    const listed = await command(['hosted', ...target, '--json']);
    assert.equal(listed.code, 0, listed.error);
    const ids = JSON.parse(listed.out).map(({ agent_id }: any) => agent_id);
    assert.deepEqual([...ids].sort(), [ann.agent_id, ben.agent_id].sort());
    assert.match((await command(['hosted', ...target])).out, new RegExp(`^${ben.agent_id} +ben +0 +0 +\\S+$`, 'm'));
    const made = JSON.parse((await command(['hosted', 'register', 'cid', ...target, '--json'])).out);
    assert.equal((await ask('GET /hosted/ping', { token: made.token })).status, 200);
    const renewed = JSON.parse((await command(['hosted', 'token', made.agent_id, ...target, '--json'])).out);
    assert.equal((await ask('GET /hosted/ping', { token: made.token })).status, 401);
    assert.equal((await ask('GET /hosted/ping', { token: renewed.token })).status, 200);
    const removed = await command(['hosted', 'remove', made.agent_id, ...target]);
    assert.equal(removed.out, `${made.agent_id} is hosted no more.`);
    assert.equal((await ask('GET /hosted/ping', { token: renewed.token })).status, 401);
    assert.equal((await command(['hosted', 'remove', made.agent_id, ...target])).code, 1);
  });

  it('has agents go on after kill -9 with their tokens; without --hosting it says how to go on', async () => {
    const port = new URL(host.url).port;
    await host.process.stop('SIGKILL');
    const again = run('host', ['--hosting', '--public-api-addr', `127.0.0.1:${port}`], { NODE_API_SECRET: SECRET });
    await serving(again, host.url);
    assert.match(again.err, /hosting: no aggregator lists this host/);
    assert.equal((await ask('GET /hosted/ping', { token: ann.token })).status, 200);
    const { deals } = await taken('GET /hosted/deals', { token: ann.token });
    assert.equal(deals.length, 1);
    await again.stop();
    const off = run('host', ['--public-api-addr', `127.0.0.1:${port}`], { NODE_API_SECRET: SECRET });
    await serving(off, host.url);
    const { status, body } = await ask('GET /hosted/ping');
    assert.deepEqual([status, body.code], [404, 'hosting_off']);
    assert.match(body.detail, /--hosting/);
  });
});
