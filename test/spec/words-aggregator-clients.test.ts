import assert from 'node:assert/strict';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'ws';
import { newConversation, signDeal, TestAgent } from '../aggregator/support/agent.ts';
import { bootAggregator, type TestAggregator } from '../aggregator/support/aggregator.ts';
import { happens } from '../support/happens.ts';
import { hasMembers } from './support/words.ts';

/** What existing clients of the public system send, and the members that they read. */
describe('the aggregator, as existing clients use it', () => {
  const names = ['asker', 'worker', 'judge', 'idle'];
  const [asker, worker, judge, idle] = names.map((name) => new TestAgent(`client ${name}`)) as [
    TestAgent,
    TestAgent,
    TestAgent,
    TestAgent,
  ];
  let aggregator: TestAggregator;
  let conversation: string;

  const ids = (found: any[]): string[] => found.map(({ agent_id }) => agent_id);
  const eventsOf = async (query: string) =>
    (await aggregator.read(`/activity?${query}`)).map(({ event_type }: any) => event_type);

  before(async () => {
    aggregator = await bootAggregator();
    await aggregator.ingest(
      ...[asker, worker, judge].map((agent, index) => agent.beacon(`${names[index]} bot`).whole),
      worker.sign('ADVERTISE', { payload: { capabilities: ['Translate', 'bot'] } }).whole,
      judge.sign('ADVERTISE', { payload: { capabilities: ['notary'] } }).whole,
      idle.beacon('', {}, Date.now() - 3_600_000).whole,
    );
    const deal = signDeal(asker, worker);
    conversation = deal.conversation;
    const payload = { verifier: judge.id, opaque_b64: '' };
    const verdict = { conversation, payload: { outcome: 'approve' } } as const;
    await aggregator.ingest(
      ...[deal.propose.receipt, deal.accept.receipt, deal.deliver.receipt],
      ...[asker, worker].map((party) => party.sign('NOTARIZE_ASSIGN', { to: judge, conversation, payload }).whole),
      ...[asker, worker].map((party) => judge.sign('VERDICT', { to: party, ...verdict }).whole),
      asker.feedback(worker, conversation, 80).whole,
    );
    await aggregator.scored(`/reputation/${worker.id}`, ({ score }: any) => score > 0);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  for (const sort of ['active', 'new'])
    it(`GET /agents?sort=${sort} is sort=recent`, async () => {
      assert.deepEqual(
        ids(await aggregator.read(`/agents?sort=${sort}`)),
        ids(await aggregator.read('/agents?sort=recent')),
      );
      assert.equal(ids(await aggregator.read(`/agents?sort=${sort}`)).at(-1), idle.id);
    });

  for (const path of [
    '/agents',
    '/leaderboard',
    '/activity',
    '/interactions',
    '/registry',
    '/bounties',
    '/ledger/events',
  ])
    it(`GET ${path}?limit=500 is the most that there is`, async () => {
      assert.deepEqual(await aggregator.read(`${path}?limit=500`), await aggregator.read(`${path}?limit=200`));
      assert.equal((await aggregator.fetch(`${path}?limit=99999999999999999999`)).status, 200);
    });

  it('limit=500 is not more than 200', async () => {
    const many = Array.from({ length: 210 }, (_, index) => new TestAgent(`client crowd ${index}`));
    await aggregator.ingest(...many.map((agent) => agent.beacon('crowd').whole));
    assert.equal((await aggregator.read('/agents?limit=500')).length, 200);
    assert.equal((await aggregator.read('/activity?limit=201')).length, 200);
  });

  it('GET /agents/search?capability= finds who has it, in any case', async () => {
    assert.deepEqual(ids(await aggregator.read('/agents/search?capability=translate')), [worker.id]);
    assert.deepEqual(ids(await aggregator.read('/agents/search?capability=TRANSLATE&limit=20')), [worker.id]);
    assert.deepEqual(await aggregator.read('/agents/search?capability=juggle'), []);
  });

  it('GET /agents/search?q= looks at ids, names and capabilities', async () => {
    assert.deepEqual(ids(await aggregator.read(`/agents/search?q=${judge.id.slice(0, 9)}`)), [judge.id]);
    assert.deepEqual(ids(await aggregator.read('/agents/search?q=judge%20bot')), [judge.id]);
    assert.deepEqual(ids(await aggregator.read('/agents/search?q=notary')), [judge.id]);
    const bots = ids(await aggregator.read('/agents/search?q=bot'));
    assert.deepEqual(new Set(bots), new Set([worker.id, asker.id, judge.id]));
    assert.equal(bots.length, 3, 'who is found by name and capability is there once');
    assert.deepEqual(ids(await aggregator.read('/agents/search?q=bot&capability=notary')), [judge.id]);
    assert.deepEqual(ids(await aggregator.read('/agents/search?q=bot&limit=1&offset=1')), [bots[1]]);
  });

  it('GET /agents/search/name?name= is q=', async () => {
    assert.deepEqual(ids(await aggregator.read('/agents/search/name?name=judge')), [judge.id]);
  });

  for (const path of ['/agents?capability=translate', '/leaderboard?limit=1'])
    it(`GET ${path} has the members that explorers read`, async () => {
      const [row] = await aggregator.read(path);
      hasMembers(row, {
        agent_id: [worker.id],
        total_score: [80],
        average_score: [80],
        trend: ['rising', 'falling', 'stable'],
        feedback_count: [1],
        positive_count: [1],
        neutral_count: [0],
        negative_count: [0],
        verdict_count: [1],
        last_updated: 'integer',
        latency: 'regions',
      });
      assert.equal(row.average_score.toFixed(1), '80.0');
      assert.ok(Math.abs(row.last_updated - Date.now() / 1000) < 600);
    });

  it('average_score of an agent that nobody rated is 0, and of two ratings their mean', async () => {
    const [row] = await aggregator.read(`/agents/search?q=${idle.id}`);
    assert.deepEqual([row.average_score, row.total_score], [0, 0]);
    const [one, other, rated] = ['x', 'y', 'z'].map((name) => new TestAgent(`client mean ${name}`)) as TestAgent[];
    for (const [rater, score] of [
      [one!, 75],
      [other!, -50],
    ] as const) {
      const { propose, accept, deliver, conversation: held } = signDeal(rater, rated!);
      await aggregator.ingest(
        propose.receipt,
        accept.receipt,
        deliver.receipt,
        rater.feedback(rated!, held, score).whole,
      );
    }
    const [found] = await aggregator.read(`/agents/search?q=${rated!.id}`);
    assert.deepEqual([found.total_score, found.average_score], [25, 12.5]);
  });

  it('GET /reputation/:agent_id has its counts at the top level', async () => {
    hasMembers(await aggregator.read(`/reputation/${worker.id}`), {
      name: ['worker bot'],
      feedback_count: [1],
      positive_count: [1],
      neutral_count: [0],
      negative_count: [0],
      verdict_count: [1],
      total_score: [80],
      average_score: [80],
      last_seen: 'time',
      last_updated: 'integer',
    });
  });

  it('GET /activity has ts, target_id and the names of both', async () => {
    const [event] = await aggregator.read(`/activity?conversation_id=${conversation}&type=FEEDBACK`);
    hasMembers(event, {
      ts: [Math.floor(Date.parse(event.created_at) / 1000)],
      agent_id: [asker.id],
      name: ['asker bot'],
      target_id: [worker.id],
      target_agent_id: [worker.id],
      target_name: ['worker bot'],
    });
    const [join] = await aggregator.read(`/activity?agent_id=${judge.id}&type=JOIN`);
    assert.deepEqual([join.name, 'target_id' in join, 'target_name' in join], ['judge bot', false, false]);
  });

  it('GET /activity?agent_id=&conversation_id=&type= shows events of these alone', async () => {
    const all = ['FEEDBACK', 'VERDICT', 'VERDICT', 'DELIVER', 'ACCEPT'];
    assert.deepEqual(await eventsOf(`conversation_id=${conversation}`), all);
    assert.deepEqual(await eventsOf(`conversation_id=${conversation.toUpperCase()}&limit=2`), all.slice(0, 2));
    assert.deepEqual(await eventsOf(`conversation_id=${newConversation()}`), []);
    assert.deepEqual(await eventsOf(`agent_id=${worker.id}`), ['FEEDBACK', 'VERDICT', 'DELIVER', 'ACCEPT', 'JOIN']);
    assert.deepEqual(await eventsOf(`agent_id=${worker.id}&type=DELIVER`), ['DELIVER']);
    assert.deepEqual(await eventsOf(`agent_id=${judge.id}&conversation_id=${conversation}`), ['VERDICT', 'VERDICT']);
    assert.deepEqual(await eventsOf('type=ACCEPT'), ['ACCEPT', 'ACCEPT', 'ACCEPT']);
    const [first, second] = await aggregator.read(`/activity?agent_id=${worker.id}&limit=2`);
    const [next] = await aggregator.read(`/activity?agent_id=${worker.id}&limit=1&before=${first.id}`);
    assert.equal(next.id, second.id);
  });

  it('a VERDICT to both parties is an event and a verdict of each', async () => {
    const verdicts = await aggregator.read(`/activity?conversation_id=${conversation}&type=VERDICT`);
    assert.deepEqual(
      new Set(verdicts.map(({ agent_id, target_agent_id }: any) => `${agent_id}>${target_agent_id}`)),
      new Set([`${judge.id}>${asker.id}`, `${judge.id}>${worker.id}`]),
    );
    for (const { id } of [asker, worker]) assert.equal((await aggregator.read(`/reputation/${id}`)).verdict_count, 1);
  });

  it('GET /interactions has is_dispute and ts', async () => {
    const [rating] = await aggregator.read(`/interactions?from=${asker.id}`);
    hasMembers(rating, { is_dispute: [false], ts: [Math.floor(Date.parse(rating.created_at) / 1000)] });
    const { conversation: held, ...deal } = signDeal(asker, worker);
    const payload = {
      conversation_id: held,
      target_agent: worker.id,
      score: -20,
      outcome: 0,
      is_dispute: true,
      role: 0,
    } as const;
    await aggregator.ingest(deal.propose.receipt, deal.accept.receipt, deal.deliver.receipt);
    await aggregator.ingest(asker.sign('FEEDBACK', { conversation: held, payload }).whole);
    assert.equal((await aggregator.read(`/interactions?from=${asker.id}`))[0].is_dispute, true);
  });

  it('GET /stats/network has beacons, deals, volume and who is online', async () => {
    const before = await aggregator.read('/stats/network');
    hasMembers(before, {
      beacon_count: 'integer',
      beacon_bpm: 'integer',
      deal_count: 'integer',
      volume_usdc: [0],
      online_count: 'integer',
      network: ['aggregator-tests'],
    });
    await aggregator.ingest(asker.beacon('asker bot').whole, idle.beacon('', {}, Date.now() - 1_800_000).whole);
    const { propose, accept } = signDeal(asker, worker);
    await aggregator.ingest(propose.receipt, accept.receipt);
    const stats = await aggregator.read('/stats/network');
    assert.equal(stats.beacon_count, before.beacon_count + 2);
    assert.equal(stats.deal_count, before.deal_count + 1);
    assert.equal(stats.online_count, before.online_count, 'one was online before, the other spoke half an hour ago');
    assert.ok(stats.beacon_bpm >= 2, `${stats.beacon_bpm}`);
  });

  it('GET /network says which mesh this is', async () => {
    assert.deepEqual(await aggregator.read('/network'), {
      network_id: 'aggregator-tests',
      envelope_version: 2,
      epoch_secs: 86_400,
    });
  });

  it('GET /search?q= looks for agents and conversations', async () => {
    const search = (q: string) => aggregator.read(`/search?q=${encodeURIComponent(q)}`);
    const nothing = { agents: [], conversations: [], transactions: [], wallets: [] };
    assert.deepEqual(ids((await search('judge')).agents), [judge.id]);
    // A run of the scores may come between the two questions.
    await happens('the search tells the score of the agent', async () => {
      const { score } = await aggregator.read(`/reputation/${worker.id}`);
      const found = [{ agent_id: worker.id, name: 'worker bot', score }];
      return isDeepStrictEqual((await search('translate')).agents, found) || undefined;
    });
    const dashed = conversation.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    for (const q of [conversation, dashed])
      assert.deepEqual((await search(q)).conversations, [{ conversation_id: conversation }], q);
    for (const q of [newConversation(), 'nobody is called this', '%', '1'.repeat(88)])
      assert.deepEqual(await search(q), nothing, q);
    assert.equal((await aggregator.fetch('/search')).status, 400);
    assert.equal((await aggregator.fetch(`/search?q=${'a'.repeat(129)}`)).status, 400);
  });

  it('what nobody knows in a query is ignored, and named where the answer is an object', async () => {
    const odd = await aggregator.read(`/reputation/${worker.id}?colour=red`);
    assert.deepEqual(odd.ignored, ['colour']);
    assert.equal((await aggregator.fetch('/agents?capabilities=x&all=true')).status, 200);
    assert.equal((await aggregator.fetch('/search?q=judge&deep=yes')).body.ignored[0], 'deep');
  });

  it('null is absent, and what nobody knows in a report is passed over', async () => {
    const items = [{ ...asker.beacon('asker bot').whole, receipt_b64: null, colour: 'red' }];
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ items }) };
    const { status, body } = await aggregator.fetch('/ingest/envelopes', init);
    assert.deepEqual([status, body.results?.[0].status], [200, 'accepted'], JSON.stringify(body));
  });

  it('?ids=hex and Accept: application/json; ids=hex give every id in hex', async () => {
    const hex = ({ identity }: TestAgent) => Buffer.from(identity.key).toString('hex');
    const accept = { headers: { accept: 'application/json; ids=hex' } };
    for (const [path, pick] of [
      ['/agents?capability=translate', ([row]: any) => row.agent_id],
      ['/leaderboard?limit=1', ([row]: any) => row.agent_id],
      [`/reputation/${worker.id}`, (found: any) => found.agent_id],
      [`/agents/${hex(worker)}/profile`, (found: any) => found.agent_id],
      [`/activity?conversation_id=${conversation}&type=FEEDBACK`, ([row]: any) => row.target_id],
      [`/activity?conversation_id=${conversation}&type=FEEDBACK`, ([row]: any) => row.target_agent_id],
      [`/interactions?to=${worker.id}`, ([row]: any) => row.target_agent],
      ['/search?q=translate', ({ agents }: any) => agents[0].agent_id],
    ] as [string, (answer: any) => string][]) {
      const asked = await aggregator.read(`${path}${path.includes('?') ? '&' : '?'}ids=hex`);
      assert.equal(pick(asked), hex(worker), path);
      assert.deepEqual((await aggregator.fetch(path, accept)).body, asked, path);
      assert.equal(pick(await aggregator.read(path)), worker.id, path);
    }
    const socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/ws/activity?ids=hex&since=0`);
    const [frame] = await once(socket, 'message');
    assert.equal(JSON.parse(String(frame)).agent_id, hex(asker));
    socket.close();
    await once(socket, 'close');
  });

  describe('from a web page of any origin', () => {
    const origin = 'https://explorer.example';
    const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

    it('answers what everybody may read, refusals too', async () => {
      for (const path of ['/agents', '/stats/network', `/agents/${worker.id}/profile`, '/openapi.json']) {
        const answer = await fetch(aggregator.url + path, { headers: { origin } });
        assert.deepEqual([answer.status, allowed(answer)], [200, '*'], path);
      }
      const unknown = await fetch(`${aggregator.url}/reputation/${'1'.repeat(32)}`, { headers: { origin } });
      assert.deepEqual([unknown.status, allowed(unknown)], [404, '*']);
      const asked = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await fetch(`${aggregator.url}/activity`, { method: 'OPTIONS', headers: asked });
      assert.deepEqual([preflight.status, allowed(preflight)], [204, '*']);
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET');
    });

    it('opens the live feed', async () => {
      const socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/ws/activity`, { origin });
      await once(socket, 'open');
      socket.close();
      await once(socket, 'close');
    });

    it('keeps to itself what asks for a credential or changes something', async () => {
      assert.equal(allowed(await fetch(`${aggregator.url}/metrics`, { headers: { origin } })), null);
      const body = JSON.stringify({ items: [asker.beacon('asker bot').whole] });
      const headers = { origin, 'content-type': 'application/json' };
      assert.equal((await fetch(`${aggregator.url}/ingest/envelopes`, { method: 'POST', headers, body })).status, 403);
      const asked = { origin, 'access-control-request-method': 'POST' };
      for (const path of ['/ingest/envelopes', '/activity'])
        assert.equal((await fetch(aggregator.url + path, { method: 'OPTIONS', headers: asked })).status, 403, path);
      const socket = new WebSocket(`${aggregator.url.replace('http', 'ws')}/mesh`, { origin });
      const [error] = await once(socket, 'error');
      assert.match(String(error), /403/);
    });

    it('is closed where the operator lists origins', async () => {
      const listed = await bootAggregator({ api: { corsOrigins: ['https://mine.example'] } });
      try {
        const call = (from: string) => fetch(`${listed.url}/agents`, { headers: { origin: from } });
        assert.equal(allowed(await call(origin)), null);
        assert.equal(allowed(await call('https://mine.example')), 'https://mine.example');
      } finally {
        await listed.stop();
      }
    });
  });
});
