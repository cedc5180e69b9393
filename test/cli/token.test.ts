import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { keyFileSigner } from '../../core/host/key-file-signer.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { bodyHash, readAgentToken } from '../../core/protocol/signer/agent-token.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { network } from '../support/stranger.ts';
import { mesh } from './terminal.ts';

const seed = new Uint8Array(32).fill(5);
const { address } = identityFromSeed(seed);

describe('mesh token', () => {
  let folder = '';
  let config: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-token-'));
    await writeFile(join(folder, 'identity.key'), seed, { mode: 0o600 });
    const file = join(folder, 'plugins.json');
    const settings = { dataDir: '.', mesh: { aggregators: ['https://aggregator.example/'] }, plugins: {} };
    await writeFile(file, JSON.stringify(settings));
    config = ['--config', file];
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function claimsOf(out: string) {
    const read = readAgentToken(out.trim(), Date.now());
    assert.ok(read.ok, JSON.stringify(read));
    return read.value;
  }

  it('prints one token of this node for one request', async () => {
    const body = join(folder, 'body.json');
    await writeFile(body, '{"sleeping":true}');
    const { code, out } = await mesh(['token', '--path', '/push/sleep', '--body', body, ...config]);
    assert.equal(code, 0);
    const { iss, aud, htm, htu, bh, jti } = claimsOf(out);
    assert.deepEqual([iss, aud, htm, htu], [address, 'https://aggregator.example', 'POST', '/push/sleep']);
    assert.equal(bh, bodyHash(Buffer.from('{"sleeping":true}')));
    const again = await mesh(['token', '--path', '/push/sleep', '--body', body, ...config]);
    assert.notEqual(claimsOf(again.out).jti, jti);
  });

  it('says as JSON what it is for', async () => {
    const args = ['token', '--method', 'delete', '--path=/a?b=c', '--aud', 'http://127.0.0.1:9080/', '--json'];
    const { token, expires_at, jti, ...about } = JSON.parse((await mesh([...args, ...config])).out);
    assert.deepEqual(about, { agent_id: address, audience: 'http://127.0.0.1:9080', method: 'DELETE', path: '/a?b=c' });
    const claims = claimsOf(token);
    assert.deepEqual([claims.jti, new Date(claims.exp * 1_000).toISOString()], [jti, expires_at]);
    assert.equal(claims.bh, bodyHash(Buffer.alloc(0)));
  });

  const WRONG: [what: string, args: string[], error: RegExp][] = [
    ['no path', [], /--path says what the request asks for/],
    ['a path that is none', ['--path', 'push/sleep'], /--path takes a path/],
    ['another host', ['--path', '//evil.example/x'], /--path takes a path/],
    ['a path that is sent otherwise', ['--path', '/a b/../c'], /is sent as \/c; sign that/],
    ['a method there is not', ['--path', '/a', '--method', 'BREW'], /--method is one of GET, POST/],
    ['an audience that is no address', ['--path', '/a', '--aud', 'ftp://x'], /--aud takes an http address/],
    ['a body that is not there', ['--path', '/a', '--body', '/no/such/file'], /--body \/no\/such\/file cannot be read/],
    ['something unknown', ['--path', '/a', '--pth', '/b'], /pth/],
  ];
  for (const [what, args, error] of WRONG) {
    it(`refuses ${what}`, async () => {
      const found = await mesh(['token', ...args, ...config]);
      assert.deepEqual([found.code, found.out], [2, '']);
      assert.match(found.error, error);
    });
  }

  it('makes no key where there is none', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'));
    const { code, error } = await mesh(['token', '--path', '/a', '--data-dir', empty, ...config]);
    assert.equal(code, 1);
    assert.match(error, /There is no key file .*identity\.key/);
    assert.deepEqual(await readdir(empty), []);
  });

  it('refuses to sign as somebody else', async () => {
    const other = identityFromSeed(new Uint8Array(32).fill(6)).address;
    const { code, error } = await mesh(['token', '--path', '/a', '--agent-id', other, ...config]);
    assert.equal(code, 1);
    assert.match(error, /does not belong to the key/);
  });

  it('is taken by an aggregator, once, as is what a client signs with the same key file', async () => {
    const aggregator = await startNode({
      parts: { adapters, plugins, standard },
      log: silentLog,
      grace: 500,
      config: {
        folder,
        value: {
          ...{ profile: 'aggregator', listen: '127.0.0.1:0', dataDir: join(folder, 'aggregator') },
          ...{ network: { id: network.name }, storage: { use: 'memory' }, plugins: {} },
        },
      },
    });
    try {
      const { url } = aggregator;
      const agent = new TestAgent('sleeper', Date.now, network, seed);
      const items = [agent.beacon('sleeper').whole];
      await post(`${url}/ingest/envelopes`, JSON.stringify({ items }));
      const body = JSON.stringify({ agent_id: address, sleeping: true });
      const file = join(folder, 'sleep.json');
      await writeFile(file, body);
      const { out } = await mesh(['token', '--path', '/push/sleep', '--aud', url, '--body', file, ...config]);
      const answers = [await post(`${url}/push/sleep`, body, out), await post(`${url}/push/sleep`, body, out)];
      assert.deepEqual(answers, [200, 200]);
      assert.equal(await post(`${url}/push/sleep`, `${body} `, out), 401);
      const client = new AggregatorClient({ url, sign: keyFileSigner(join(folder, 'identity.key')) });
      assert.deepEqual(await client.isSleeping(address), { sleeping: true });
      assert.equal((await client.setSleeping(address, false)).sleeping, false);
    } finally {
      await aggregator.stop();
    }
  });

  async function post(url: string, body: string, token?: string): Promise<number> {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }
});
