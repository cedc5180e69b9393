import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { uploaded, uploadedBytes } from '../../../core/aggregator/store/blobs.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { cidOf } from '../../../core/storage/blob-hash.ts';
import { tokenOf } from '../../plugins/support/aggregator.ts';
import { happens } from '../../support/happens.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { watch } from '../../support/sockets.ts';
import { TestAgent } from '../support/agent.ts';
import { Fleet, type Member } from './fleet.ts';

const SECRET = 'a-secret-of-two-aggregators';
const PLUGINS = { hosting: { hostingSecret: SECRET }, campaigns: { operatorSecret: SECRET } };
const HOSTS = 4;
const BEATS = 12;
const CAMPAIGNS = 8;
const UPLOADERS = 4;
const UPLOADS = 6;
/** Of a file, at least, as quotas count it. */
const BLOCK = 4_096;

interface Asked {
  readonly body: Buffer;
  readonly headers?: Record<string, string>;
  readonly as?: TestAgent;
}

describeRedis(
  'heartbeats, campaigns and blobs at two aggregators on one Redis, one of which is killed meanwhile',
  function () {
    this.timeout(180_000);
    let fleet: Fleet;

    before(async () => {
      fleet = await Fleet.open();
      for (const name of ['left', 'right']) await fleet.start(name, {}, PLUGINS);
      await fleet.settled();
    });
    after(() => fleet?.close());

    const members = () => [...fleet.members];

    /** One of those that are there, another one each time. */
    let turn = 0;
    const anyone = (): Member => {
      turn += 1;
      return members()[turn % fleet.members.size]!;
    };

    async function call({ url }: Member, line: string, { body, headers = {}, as }: Asked) {
      const [method, path] = line.split(' ') as [string, string];
      const token = as && tokenOf(as, { audience: url, method, target: path, body }, systemClock);
      const answer = await fetch(url + path, {
        method,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        body: new Uint8Array(body),
      });
      return { status: answer.status, said: (await answer.json()) as any };
    }

    /** Asks one after the other until the answer has one of these statuses; a call that a killed process took with it is made again. */
    const insist = (line: string, asked: Asked, statuses: readonly number[]) =>
      happens(
        `${line} is answered`,
        async () => {
          const answer = await call(anyone(), line, asked).catch(() => undefined);
          if (answer && statuses.includes(answer.status)) return answer;
          assert.ok(!answer || [409, 429, 503].includes(answer.status), JSON.stringify(answer));
          return undefined;
        },
        60_000,
      );

    /** Kills the writer while the work goes on, and starts it again. */
    async function killedDuring(work: Promise<unknown>, after: number): Promise<void> {
      const killing = (async () => {
        await systemClock.sleep(after);
        const victim = await fleet.writer();
        await victim.end('SIGKILL');
        await fleet.start(victim.name, {}, PLUGINS);
      })();
      await Promise.all([work, killing]);
      await fleet.settled();
    }

    const read = async ({ url }: Member, path: string) => (await fetch(url + path)).json() as any;

    it('every host is listed as its last acknowledged heartbeat says, the same by both', async () => {
      const hosts = Array.from({ length: HOSTS }, (_, n) => new TestAgent(`host ${n} of two`));
      const first = Math.floor(Date.now() / 1_000) - BEATS;
      const beating = hosts.map(async (host) => {
        for (let n = 0; n < BEATS; n++) {
          // 409 says that it was taken already: its answer was lost.
          await insist('POST /hosting/register', heartbeat(host, { time: first + n, fee_bps: n }), [200, 409]);
          await systemClock.sleep(100);
        }
      });
      await killedDuring(Promise.all(beating), 400);
      const [one, other] = await Promise.all(members().map((member) => read(member, '/hosting/nodes')));
      assert.deepEqual(one, other);
      assert.deepEqual(one.map(({ node_id }: any) => node_id).sort(), hosts.map(({ id }) => id).sort());
      for (const node of one) assert.equal(node.fee_bps, BEATS - 1);
      const old = heartbeat(hosts[0]!, { time: first + 1, fee_bps: 77 });
      for (const member of members()) assert.equal((await call(member, 'POST /hosting/register', old)).status, 409);
    });

    it('one heartbeat that both are told at the same moment counts once', async () => {
      const host = new TestAgent('host of both');
      const time = Math.floor(Date.now() / 1_000);
      for (let n = 0; n < 8; n++) {
        const beat = heartbeat(host, { time: time - 8 + n, fee_bps: n });
        const answers = await Promise.all(members().map((member) => call(member, 'POST /hosting/register', beat)));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      }
    });

    it('a campaign that is announced again until it is answered is there once, and each stream shows each once', async () => {
      const expires_at = Math.floor(Date.now() / 1_000) + 3_600;
      const announcing = Array.from({ length: CAMPAIGNS }, async (_, n) => {
        await systemClock.sleep(120 * n);
        const body = { data_type: 'audio', payout_usdc_micro: 50_000, title: `campaign ${n}`, expires_at };
        const headers = {
          ...{ 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
          'idempotency-key': `campaign-of-two-${n}`,
        };
        const { said } = await insist('POST /campaigns', { body: Buffer.from(JSON.stringify(body)), headers }, [201]);
        return said.id as string;
      });
      await killedDuring(Promise.all(announcing), 300);
      const ids = (await Promise.all(announcing)).sort();
      assert.equal(new Set(ids).size, CAMPAIGNS);
      const shown = [];
      for (const member of members()) {
        const listed = await read(member, '/campaigns?limit=100');
        assert.deepEqual(listed.map(({ id }: any) => id).sort(), ids);
        const stream = watch(`${member.url}/ws/campaigns?since=0`);
        await stream.until(CAMPAIGNS);
        stream.socket.terminate();
        shown.push(stream.frames.map(({ id, campaign }) => [id, campaign.id]));
      }
      assert.deepEqual(shown[0], shown[1]);
      assert.deepEqual(shown[0]!.map(([, id]) => id).sort(), ids);
    });

    it('every acknowledged blob is whole at both, is counted once however often it was sent, and no file is without a count', async () => {
      const agents = Array.from({ length: UPLOADERS }, (_, n) => new TestAgent(`uploader ${n} of two`));
      const items = agents.map((agent) => agent.beacon('uploader').whole);
      const told = { body: Buffer.from(JSON.stringify({ items })), headers: { 'content-type': 'application/json' } };
      assert.equal((await call(anyone(), 'POST /ingest/envelopes', told)).status, 200);
      const common = randomBytes(20_000);
      const commonCid = await cidOf(common);
      const kept = new Map([[commonCid, common]]);
      const uploading = agents.map(async (as) => {
        await insist('POST /blobs', { body: common, as }, [201]);
        for (let n = 0; n < UPLOADS; n++) {
          const body = randomBytes(1_000 + 60_000 * n);
          const { said } = await insist('POST /blobs', { body, as }, [201]);
          assert.equal(said.cid, await cidOf(body));
          kept.set(said.cid, body);
          // The other one has it as soon as it is acknowledged.
          assert.equal((await happens('it is read', () => bytesAt(anyone(), said.cid))).compare(body), 0);
        }
      });
      await killedDuring(Promise.all(uploading), 300);
      for (const member of members())
        for (const [cid, body] of kept) assert.equal((await bytesAt(member, cid))?.compare(body), 0, cid);
      const counted = await fleet.space.page(uploaded, { limit: 1_000 });
      const bytes = counted.reduce((sum, { value }) => sum + Math.max(BLOCK, value.size), 0);
      assert.equal(await fleet.space.total(uploadedBytes), BigInt(bytes));
      assert.equal(counted.find(({ id }) => id === commonCid)?.value.holders, UPLOADERS);
      const found = await readdir(join(fleet.folder, 'blobs/uploaded'), { recursive: true, withFileTypes: true });
      const files = found.filter((one) => one.isFile() && /^[0-9a-f]{64}$/.test(one.name)).map(({ name }) => name);
      const ids = new Set(counted.map(({ id }) => id));
      assert.deepEqual(
        files.filter((name) => !ids.has(name)),
        [],
      );
      assert.ok(files.length >= kept.size);
    });
  },
);

/** Undefined while the process is being killed. */
async function bytesAt({ url }: Member, cid: string): Promise<Buffer | undefined> {
  const answer = await fetch(`${url}/blobs/${cid}`).catch(() => undefined);
  if (!answer) return undefined;
  assert.equal(answer.status, 200, cid);
  return answer.arrayBuffer().then(
    (bytes) => Buffer.from(bytes),
    () => undefined,
  );
}

/** Signed as its host does. */
function heartbeat(host: TestAgent, change: { time: number; fee_bps: number }): Asked {
  const facts = { node_id: host.id, name: 'a host', api_url: 'https://93.184.216.34:8443', hosted_agent_count: 3 };
  const body = Buffer.from(JSON.stringify({ ...facts, ...change }));
  const fields = { body_hash: createHash('sha256').update(body).digest(), time: change.time };
  const signature = Buffer.from(host.identity.signDomain('heartbeat/1', host.network, fields)).toString('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': signature, authorization: `Bearer ${SECRET}` };
  return { body, headers };
}
