import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { happens } from '../support/happens.ts';
import { startMesh } from '../support/mesh.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { network, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';

describe('signed latency reports', () => {
  const clock = new ShiftedClock();
  const [reference, other, agent, stranger] = ['reference', 'other', 'agent', 'stranger'].map(
    (name) => new TestAgent(`${name} of latency`, () => clock.now()),
  ) as [TestAgent, TestAgent, TestAgent, TestAgent];
  let aggregator: TestAggregator;
  before(async () => {
    const references = [
      { agent_id: reference.id, region: 'us-east' },
      { agent_id: other.id, region: 'africa-south' },
    ];
    const ingest = { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 };
    aggregator = await bootAggregator({ clock, core: { ingest, latency: { references } } });
    const payload = { capabilities: ['translate'], geo: { country: 'NG', city: 'Lagos' } };
    const advertise = agent.sign('ADVERTISE', { payload } as any);
    assert.deepEqual(statuses(await aggregator.ingest(agent.beacon('lagos').whole, advertise.whole)), [
      'accepted',
      'accepted',
    ]);
  });
  after(() => aggregator.stop());

  const seconds = () => Math.floor(clock.now() / 1_000);
  interface Change {
    readonly by?: TestAgent;
    readonly domain?: 'latency/1' | 'heartbeat/1';
    readonly sent?: string;
    readonly body?: Record<string, unknown>;
  }
  async function report({ by = reference, domain = 'latency/1', sent, body: change }: Change = {}) {
    clock.shift(1_000);
    const round_trips = [{ agent_id: agent.id, rtt_ms: 120 }];
    const body = { reporter: reference.id, region: 'us-east', time: seconds(), round_trips, ...change };
    const text = JSON.stringify(body);
    const fields = { body_hash: createHash('sha256').update(text).digest(), time: body.time };
    const signature = Buffer.from(by.identity.signDomain(domain, network, fields)).toString('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    return aggregator.fetch('/latency/reports', { method: 'POST', headers, body: sent ?? text });
  }
  const place = async () => {
    const { latency, geo_consistent } = await aggregator.read(`/agents/${agent.id}/profile`);
    return { latency, geo_consistent };
  };

  it('tell how far an agent is, and whether it can be where it says', async () => {
    const round_trips = [agent, stranger, reference].map(({ id }, n) => ({ agent_id: id, rtt_ms: 120 + n }));
    const { status, body } = await report({ body: { round_trips } });
    assert.deepEqual([status, body], [200, { taken: 1, unknown: [stranger.id, reference.id] }]);
    assert.deepEqual(await place(), { latency: { 'us-east': 120 }, geo_consistent: true });
    const near = [{ agent_id: agent.id, rtt_ms: 15 }];
    assert.equal((await report({ body: { round_trips: near } })).status, 200);
    assert.deepEqual(await place(), { latency: { 'us-east': 15 }, geo_consistent: false });
    assert.equal((await report()).status, 200);
    const south = { reporter: other.id, region: 'africa-south', round_trips: [{ agent_id: agent.id, rtt_ms: 70 }] };
    assert.equal((await report({ by: other, body: south })).status, 200);
    assert.deepEqual(await place(), { latency: { 'us-east': 120, 'africa-south': 70 }, geo_consistent: true });
  });

  const refusals: [what: string, change: () => Change, status: number, code: string, detail: RegExp][] = [
    [
      'of a key that is not listed',
      () => ({ by: stranger, body: { reporter: stranger.id } }),
      ...([403, 'forbidden', /no reference node.*core\.latency\.references/] as const),
    ],
    [
      'for another region than its own',
      () => ({ body: { region: 'eu-west' } }),
      ...([400, 'invalid_request', /\/region must be us-east/] as const),
    ],
    [
      'from before the window',
      () => ({ body: { time: seconds() - 200 } }),
      ...([400, 'invalid_request', /\/time must be within 120 seconds/] as const),
    ],
    [
      'from behind the window',
      () => ({ body: { time: seconds() + 200 } }),
      ...([400, 'invalid_request', /\/time must be within 120 seconds/] as const),
    ],
    ['signed by somebody else', () => ({ by: other }), 401, 'unauthorized', /X-Signature is not of reporter/],
    ['signed as a heartbeat', () => ({ domain: 'heartbeat/1' }), 401, 'unauthorized', /X-Signature is not of reporter/],
    [
      'with other bytes than were signed',
      () => ({
        sent: JSON.stringify({
          ...{ reporter: reference.id, region: 'us-east', time: seconds() + 1 },
          round_trips: [{ agent_id: agent.id, rtt_ms: 1 }],
        }),
      }),
      ...([401, 'unauthorized', /X-Signature is not of reporter/] as const),
    ],
    ['of nobody', () => ({ body: { round_trips: [] } }), ...([400, 'invalid_request', /round_trips/] as const)],
    [
      'of more than ten seconds',
      () => ({ body: { round_trips: [{ agent_id: agent.id, rtt_ms: 10_001 }] } }),
      ...([400, 'invalid_request', /rtt_ms/] as const),
    ],
  ];
  for (const [what, change, status, code, detail] of refusals)
    it(`are refused by name ${what}, and change nothing`, async () => {
      const before = await place();
      const { status: answered, body } = await report(change());
      assert.deepEqual([answered, body.code], [status, code], JSON.stringify(body));
      assert.match(body.detail, detail);
      assert.deepEqual(await place(), before);
    });

  it('are taken once, and never after a later one', async () => {
    const time = seconds() + 10;
    assert.equal((await report({ body: { time } })).status, 200);
    for (const old of [time, time - 5]) {
      const { status, body } = await report({ body: { time: old } });
      assert.deepEqual([status, body.code], [409, 'conflict']);
      assert.match(body.detail, /of this time or a later one/);
    }
  });

  it('come from a node that is configured as a reference, of its direct sessions', async function () {
    this.timeout(60_000);
    const folder = await mkdtemp(join(tmpdir(), 'mesh-reference-'));
    const keyFile = join(folder, 'identity.key');
    const seed = createHash('sha256').update('a reference node').digest();
    await writeFile(keyFile, seed, { mode: 0o600 });
    const region = 'asia-southeast';
    const references = [{ agent_id: identityFromSeed(seed).address, region }];
    const settings = { mesh: { pingSecs: 1 } };
    const own = {
      aggregator: { core: { latency: { references } } },
      alice: { agent: { name: 'alice', keyFile }, core: { latency: { region, reportSecs: 1 } } },
    };
    const mesh = await startMesh({ nodes: ['alice', 'bob'], settings, own });
    try {
      await mesh.acquainted();
      const { alice, bob } = mesh.nodes;
      assert.equal(alice.id, references[0]!.agent_id);
      await alice.post('/envelopes/send', { msg_type: 'MESSAGE', recipient: bob.id, payload: { text: 'hello' } });
      const { latency } = await happens('the round trip is shown', async () => {
        const found = await mesh.aggregator.profile(bob.id).catch(() => undefined);
        return found && region in found.latency ? found : undefined;
      });
      assert.ok(Number.isInteger(latency[region]) && latency[region]! < 1_000, JSON.stringify(latency));
    } finally {
      await mesh.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
