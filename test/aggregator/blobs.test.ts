import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cidOf } from '../../core/storage/blob-hash.ts';
import { PluginAggregator, tokenOf } from '../plugins/support/aggregator.ts';
import { happens } from '../support/happens.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import type { TestAgent } from './support/agent.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const MIB = 1_048_576;
const HELLO = '1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8';

for (const use of STORES)
  describe(`uploaded blobs, on ${use}`, function () {
    this.timeout(30_000);
    let aggregator: PluginAggregator;
    let redis: RedisServer | undefined;
    let ann: TestAgent;
    let count = 0;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      aggregator = await PluginAggregator.start({ storage: redis ? { use, url: redis.url } : { use } });
    });
    beforeEach(async () => {
      ann = aggregator.agent(`ann ${count++}`);
      await aggregator.introduce(ann);
    });
    after(async () => {
      assert.deepEqual(aggregator.errors, []);
      await aggregator.stop();
      await redis?.stop();
    });

    const upload = (body: Uint8Array, as = ann) => aggregator.call('POST /blobs', { body, as });
    const get = (cid: string, headers: Record<string, string> = {}) =>
      fetch(`${aggregator.url}/blobs/${cid}`, { headers });
    const files = async () => {
      const found = await readdir(join(aggregator.dir, 'data/blobs/uploaded'), {
        recursive: true,
        withFileTypes: true,
      });
      return found
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .sort();
    };

    it('are kept under the keccak-256 of their bytes, and never change', async () => {
      const { status, body } = await upload(Buffer.from('hello'));
      assert.deepEqual([status, body.cid, body.size], [201, HELLO, 5], JSON.stringify(body));
      assert.ok(Date.parse(body.expires_at) > aggregator.clock.now() + 29 * 86_400_000);
      for (const cid of [HELLO, HELLO.toUpperCase()]) {
        const answer = await get(cid);
        assert.deepEqual([answer.status, await answer.text()], [200, 'hello']);
        const header = (name: string) => answer.headers.get(name);
        assert.equal(header('content-type'), 'application/octet-stream');
        assert.equal(header('x-content-type-options'), 'nosniff');
        assert.equal(header('content-disposition'), 'attachment');
        assert.equal(header('content-length'), '5');
        assert.equal(header('etag'), `"${HELLO}"`);
        assert.match(header('cache-control')!, /immutable/);
        assert.match(header('content-security-policy')!, /sandbox/);
      }
    });

    it('are given in ranges, and not again to who has them', async () => {
      const bytes = randomBytes(300_000);
      const { cid } = (await upload(bytes)).body;
      for (const [range, from, to] of [
        ['bytes=0-0', 0, 1],
        ['bytes=100-199', 100, 200],
        ['bytes=65530-200000', 65_530, 200_001],
        ['bytes=299999-', 299_999, 300_000],
        ['bytes=-10', 299_990, 300_000],
        ['bytes=0-999999', 0, 300_000],
      ] as const) {
        const answer = await get(cid, { range });
        assert.equal(answer.status, 206, range);
        assert.equal(answer.headers.get('content-range'), `bytes ${from}-${to - 1}/300000`);
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes.subarray(from, to), range);
      }
      for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-2'])
        assert.equal((await get(cid, { range })).status, 200);
      assert.equal((await get(cid, { range: 'bytes=300000-' })).status, 416);
      for (const tag of [`"${cid}"`, `W/"${cid}"`, `"other", "${cid}"`, '*']) {
        const answer = await get(cid, { 'if-none-match': tag });
        assert.deepEqual([answer.status, await answer.text()], [304, ''], tag);
      }
      assert.equal((await get(cid, { 'if-none-match': '"other"' })).status, 200);
    });

    it('are not there when nobody uploaded them, and are named in hex', async () => {
      assert.equal((await get('00'.repeat(32))).status, 404);
      assert.equal((await get('hello')).status, 400);
    });

    it('have 10 MiB at most, and leave nothing behind beyond', async () => {
      const large = randomBytes(10 * MIB);
      const { status, body } = await upload(large);
      assert.deepEqual([status, body.cid], [201, await cidOf(large)], JSON.stringify(body));
      assert.deepEqual(Buffer.from(await (await get(body.cid)).arrayBuffer()), large);
      const before = await files();
      const other = aggregator.agent('large');
      await aggregator.introduce(other);
      assert.equal((await upload(randomBytes(10 * MIB + 1), other)).status, 413);
      assert.deepEqual(await files(), before);
    });

    it('leave nothing behind when half of them came, or other bytes than were signed for', async () => {
      const before = await files();
      const body = randomBytes(200_000);
      const request = { audience: aggregator.node.publicUrl, method: 'POST', target: '/blobs', body };
      const authorization = `Bearer ${tokenOf(ann, request, aggregator.clock)}`;
      const changed = Buffer.from(body);
      changed[150_000]! ^= 1;
      const wrong = await aggregator.call('POST /blobs', { body: changed, headers: { authorization } });
      assert.equal(wrong.status, 401);
      const { hostname, port } = new URL(aggregator.url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(`POST /blobs HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${authorization}\r\n`);
      socket.write(`Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body.subarray(0, 100_000));
      await happens('it is being written', async () => ((await files()).length > before.length ? true : undefined));
      socket.destroy();
      await happens('it is gone', async () => ((await files()).length === before.length ? true : undefined));
      assert.equal((await get(await cidOf(body))).status, 404);
      assert.equal((await get(await cidOf(changed))).status, 404);
    });

    it('whose file another aggregator of the store has elsewhere are said to be kept, and counted apart', async () => {
      const { cid } = (await upload(Buffer.from(`elsewhere ${use}`))).body;
      await rm(join(aggregator.dir, 'data/blobs/uploaded', cid.slice(0, 2), cid.slice(2, 4), cid));
      const answer = await get(cid);
      assert.equal(answer.status, 404);
      assert.match(((await answer.json()) as any).detail, /is kept, and its file is not here/);
      assert.match(
        await (await fetch(`${aggregator.url}/metrics`)).text(),
        /mesh_blob_reads_total\{result="away"\} 1\n/,
      );
      assert.equal((await upload(Buffer.from(`elsewhere ${use}`))).status, 201);
      assert.equal((await get(cid)).status, 200);
    });

    it('need the token of an agent that is known here', async () => {
      const bytes = Buffer.from('somebody');
      assert.equal((await aggregator.call('POST /blobs', { body: bytes })).status, 401);
      assert.equal((await upload(bytes, aggregator.agent('a stranger'))).status, 403);
      assert.equal((await get(await cidOf(bytes))).status, 404);
    });

    it('have a quota for each agent, by its standing', async () => {
      assert.equal((await upload(randomBytes(8 * MIB))).status, 201);
      const more = randomBytes(3 * MIB);
      const before = await files();
      const { status, body } = await upload(more);
      assert.deepEqual([status, body.code], [403, 'quota_exceeded']);
      assert.deepEqual(await files(), before);
    });

    it('are one file for all who keep them, until the last hold ends', async () => {
      const bytes = Buffer.from(`shared ${use}`);
      const bob = aggregator.agent(`bob ${count}`);
      await aggregator.introduce(bob);
      const { cid } = (await upload(bytes)).body;
      aggregator.clock.shift(20 * 86_400_000);
      assert.equal((await upload(bytes, bob)).status, 201);
      assert.equal((await files()).filter((name) => name === cid).length, 1);
    });

    if (use === 'lowdb')
      it('are there after a restart, and are removed 30 days after the last upload', async () => {
        const kept = Buffer.from('kept on');
        const { cid } = (await upload(kept)).body;
        await aggregator.halt();
        await aggregator.begin();
        assert.equal(await (await get(cid)).text(), 'kept on');
        aggregator.clock.shift(31 * 86_400_000);
        const { Holding } = await import('../../core/aggregator/blobs/holding.ts');
        const { Store, UploadedBlobs } = await import('../../core/internal-services.ts');
        const blobs = aggregator.node.get(UploadedBlobs);
        const space = aggregator.node.get(Store).space('aggregator');
        const holding = new Holding({ space, blobs, keptFor: 1, most: 1 });
        assert.ok((await holding.clear(aggregator.clock.now(), new AbortController().signal)) > 3);
        assert.equal((await get(cid)).status, 404);
        assert.deepEqual(await files(), []);
        assert.equal((await upload(kept)).status, 201);
        assert.equal(await (await get(cid)).text(), 'kept on');
      });
  });
