import assert from 'node:assert/strict';
import { toHex } from '../../core/platform/bytes.ts';
import { signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, type TestAggregator } from './support/aggregator.ts';

describe('reading from an aggregator', () => {
  const crowd = Array.from({ length: 25 }, (_, index) => new TestAgent(`reader ${index}`));
  const [asker, best, middle, worst] = crowd as [TestAgent, TestAgent, TestAgent, TestAgent];
  let aggregator: TestAggregator;

  const names = (agents: any[]): string[] => agents.map(({ name }) => name);
  const ids = (agents: any[]): string[] => agents.map(({ agent_id }) => agent_id);

  before(async () => {
    aggregator = await bootAggregator();
    const now = Date.now();
    await aggregator.ingest(
      ...crowd.map((agent, index) => agent.beacon(`agent ${index}`, {}, now - 60_000 * (25 - index)).whole),
    );
    for (const [agent, score] of [
      [middle, 40],
      [worst, -90],
      [best, 95],
    ] as const) {
      const { conversation, propose, accept, deliver } = signDeal(asker, agent, now - 1000);
      await aggregator.ingest(
        propose.receipt,
        accept.receipt,
        deliver.receipt,
        asker.feedback(agent, conversation, score).whole,
      );
    }
    await aggregator.scored('/leaderboard', ([, , last]) => last?.agent_id === worst.id && last.score === -1);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('orders the leaderboard and the agents by reputation', async () => {
    const leaders = await aggregator.read('/leaderboard');
    assert.deepEqual(
      leaders.map((one: any) => [one.rank, one.agent_id]),
      [
        [1, best.id],
        [2, middle.id],
        [3, worst.id],
      ],
    );
    assert.equal(leaders[0].lower_bound, leaders[1].lower_bound, 'what costs nothing ranks nobody');
    assert.ok(leaders[1].lower_bound > leaders[2].lower_bound);
    const all = await aggregator.read('/agents');
    assert.deepEqual(ids(all).slice(0, 3), [asker.id, best.id, middle.id], 'of equal ranks who was seen first');
    assert.equal(ids(all).at(-1), worst.id);
    assert.deepEqual(ids(await aggregator.read('/leaderboard?limit=1&offset=1')), [middle.id]);
  });

  it('pages lists without gaps or repeats', async () => {
    for (const sort of ['reputation', 'recent']) {
      const whole = ids(await aggregator.read(`/agents?sort=${sort}`));
      const pages = await Promise.all(
        [0, 10, 20, 30].map((offset) => aggregator.read(`/agents?sort=${sort}&limit=10&offset=${offset}`)),
      );
      assert.deepEqual(
        pages.map((page) => page.length),
        [10, 10, 5, 0],
      );
      assert.deepEqual(ids(pages.flat()), whole);
      assert.equal(new Set(whole).size, 25);
    }
  });

  it('orders agents by when they were last heard of', async () => {
    const recent = await aggregator.read('/agents?sort=recent');
    const times = recent.map((agent: any) => Date.parse(agent.last_seen));
    assert.deepEqual(
      times,
      [...times].sort((one, other) => other - one),
    );
    assert.deepEqual(new Set(ids(recent).slice(0, 4)), new Set([asker.id, best.id, middle.id, worst.id]));
  });

  it('finds agents by the beginning of their id, and by the whole in base58 or hex', async () => {
    const prefix = best.id.slice(0, 6);
    assert.ok(ids(await aggregator.read(`/agents/search?q=${prefix}`)).includes(best.id));
    assert.deepEqual(ids(await aggregator.read(`/agents/search?q=${best.id}`)), [best.id]);
    const hex = toHex(best.identity.key);
    assert.deepEqual(ids(await aggregator.read(`/agents/search?q=${hex}`)), [best.id]);
    assert.deepEqual(ids(await aggregator.read(`/agents/search?q=${hex.toUpperCase()}`)), [best.id]);
    assert.deepEqual(await aggregator.read('/agents/search?q=zzzzzzzz'), []);
    assert.equal((await aggregator.read(`/agents/${hex}/profile`)).agent_id, best.id);
    assert.equal((await aggregator.read(`/reputation/${hex}`)).agent_id, best.id);
  });

  it('finds agents by the beginning of any word of their name, in any case', async () => {
    const odd = ['Ada Lovelace', "Countess ADA 'la%_*' King", 'ada-2: { } [x]', '<b>ada</b> & co', '  spaced   out  '];
    const agents = odd.map((name) => new TestAgent(`named ${name}`));
    await aggregator.ingest(...agents.map((agent, index) => agent.beacon(odd[index]!).whole));
    const found = async (q: string) =>
      names(await aggregator.read(`/agents/search/name?q=${encodeURIComponent(q)}`)).sort();
    assert.deepEqual(await found('ada'), [odd[3], odd[1], odd[0], odd[2]].sort());
    assert.deepEqual(await found('ADA LOVE'), [odd[0]]);
    assert.deepEqual(await found('lovelace'), [odd[0]]);
    assert.deepEqual(await found('ovelace'), []);
    assert.deepEqual(await found('%'), []);
    assert.deepEqual(await found('_'), []);
    assert.deepEqual(await found('<b>'), [odd[3]]);
    assert.deepEqual(await found('spaced out'), ['spaced out']);
    assert.deepEqual(await found('out'), ['spaced out']);
    const pages = await Promise.all(
      [0, 2].map((offset) => aggregator.read(`/agents/search/name?q=ada&limit=2&offset=${offset}`)),
    );
    assert.deepEqual(names(pages.flat()).sort(), await found('ada'));
  });

  it('finds an agent by its new name only, after it took one', async () => {
    const agent = new TestAgent('renamed');
    await aggregator.ingest(agent.beacon('caterpillar', {}, Date.now() - 1000).whole);
    await aggregator.ingest(agent.beacon('butterfly').whole);
    assert.deepEqual(await aggregator.read('/agents/search/name?q=cater'), []);
    assert.deepEqual(ids(await aggregator.read('/agents/search/name?q=butter')), [agent.id]);
  });

  it('lists in the registry who sent a beacon in the last 48 hours, or all', async () => {
    const gone = new TestAgent('long gone');
    const quiet = new TestAgent('never beaconed');
    await aggregator.ingest(gone.beacon('long gone', {}, Date.now() - 3 * 86_400_000).whole);
    await aggregator.ingest(quiet.sign('ADVERTISE', { payload: { capabilities: ['silence'] } }).whole);
    const [now, all] = [
      await aggregator.read('/registry?limit=200'),
      await aggregator.read('/registry?all=true&limit=200'),
    ];
    assert.equal(ids(now).includes(gone.id), false);
    assert.equal(ids(all).includes(gone.id), true);
    assert.equal(ids(all).includes(quiet.id), false);
  });

  it('forgets what a newer advert takes back', async () => {
    const agent = new TestAgent('fickle');
    const say = (payload: object, at: number) => agent.sign('ADVERTISE', { payload, at: Date.now() + at }).whole;
    await aggregator.ingest(say({ capabilities: ['one', 'two'], geo: { country: 'FI', city: 'Turku' } }, -3000));
    await aggregator.ingest(say({ capabilities: ['two'] }, -2000));
    const path = `/agents/${agent.id}/profile`;
    let profile = await aggregator.read(path);
    assert.deepEqual([profile.capabilities, profile.country, profile.city], [['two'], 'FI', 'Turku']);
    await aggregator.ingest(say({ geo: {}, capabilities: [] }, -1000), say({ capabilities: ['late'] }, -2500));
    profile = await aggregator.read(path);
    assert.deepEqual([profile.capabilities, 'country' in profile, 'city' in profile], [[], false, false]);
    assert.deepEqual(await aggregator.read('/agents?capability=one'), []);
    assert.deepEqual(await aggregator.read('/agents?country=FI'), []);
  });

  it('says its version and when it was first started', async () => {
    const version = await aggregator.read('/version');
    assert.match(version.version, /^\d+\.\d+\.\d+/);
    assert.deepEqual([version.sdk, version.node], [version.version, version.version]);
    const stats = await aggregator.read('/stats/network');
    assert.equal(stats.interaction_count, 3);
    assert.ok(Date.parse(stats.started_at) <= Date.now());
  });

  it('filters interactions by rater, target and both', async () => {
    const count = async (path: string) => (await aggregator.read(path)).length;
    assert.equal(await count('/interactions'), 3);
    assert.equal(await count(`/interactions?from=${asker.id}`), 3);
    assert.equal(await count(`/interactions?to=${asker.id}`), 0);
    assert.equal(await count(`/interactions?from=${toHex(asker.identity.key)}&to=${best.id}`), 1);
    assert.equal(await count(`/interactions/by/${best.id}`), 1);
    assert.equal(await count(`/interactions/by/${asker.id}?limit=2`), 2);
  });

  it('pages the ratings that an agent gave and got, newest first', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => new TestAgent(`rated ${n}`)) as [TestAgent, TestAgent, TestAgent];
    const said: string[] = [];
    for (const [rater, other] of [
      [one, two],
      [three, one],
      [two, three],
    ] as const) {
      const { conversation, propose, accept, deliver } = signDeal(rater, other, Date.now() - 1000);
      await aggregator.ingest(propose.receipt, accept.receipt, deliver.receipt);
      await aggregator.ingest(rater.feedback(other, conversation, 10).whole);
      await aggregator.ingest(other.feedback(rater, conversation, 20).whole);
      if (rater === one || other === one) said.unshift(`${other.id}>${rater.id}`, `${rater.id}>${other.id}`);
    }
    const path = `/interactions/by/${one.id}`;
    const sides = (rows: any[]) => rows.map(({ sender, target_agent }) => `${sender}>${target_agent}`);
    assert.deepEqual(sides(await aggregator.read(path)), said);
    const first = await aggregator.read(`${path}?limit=3`);
    const rest = await aggregator.read(`${path}?limit=3&before=${first.at(-1).id}`);
    assert.deepEqual([sides(first), sides(rest)], [said.slice(0, 3), said.slice(3)]);
  });

  const unknown = new TestAgent('unknown').id;
  for (const path of [
    ...[`/agents/${unknown}/profile`, `/reputation/${unknown}`, `/reputation/${unknown}/evidence`],
    ...[`/entropy/${unknown}`, `/entropy/${unknown}/history`, `/entropy/${unknown}/rolling`],
    ...[`/stake/required/${unknown}`, `/graph/agent/${unknown}`],
    ...['/nothing', '/agents/search/other'],
  ]) {
    it(`answers ${path.replace(unknown, '<unknown>')} with 404`, async () => {
      const { status, body } = await aggregator.fetch(path);
      assert.deepEqual([status, body.code, body.error], [404, 'not_found', 'not_found']);
    });
  }

  const bad: [string, string][] = [
    ['/agents?limit=0', '/limit'],
    ['/agents?limit=ten', '/limit'],
    ['/agents?limit=1.5', '/limit'],
    ['/agents?offset=-1', '/offset'],
    ['/agents?offset=100001', '/offset'],
    ['/agents?sort=age', '/sort'],
    ['/agents?country=Norway', '/country'],
    ['/agents?country=N%00', '/country'],
    ['/agents?capability=a%20b', '/capability'],
    ['/agents/search', '/q'],
    ['/agents/search?q=', '/q'],
    ['/agents/search?capability=a%20b', '/capability'],
    ['/agents/search?q=' + 'a'.repeat(65), '/q'],
    ['/agents/search/name', '/q'],
    ['/agents/search/name?q=', '/q'],
    ['/agents/search/name?q=%20%09', '/q'],
    ['/agents/search/name?q=' + 'a'.repeat(65), '/q'],
    ['/agents/search/name?q=a&offset=1001', '/offset'],
    ['/agents/me/profile', '/agent_id'],
    [`/agents/${'z'.repeat(44)}/profile`, '/agent_id'],
    ['/reputation/x', '/agent_id'],
    [`/reputation/${'1'.repeat(33)}`, '/agent_id'],
    ['/leaderboard?limit=0', '/limit'],
    ['/activity?limit=1e3', '/limit'],
    ['/activity?agent_id=me', '/agent_id'],
    ['/activity?type=HUG', '/type'],
    ['/activity?conversation_id=1', '/conversation_id'],
    ['/activity?before=0', '/before'],
    ['/activity?before=last', '/before'],
    ['/interactions?from=x', '/from'],
    [`/interactions?to=${'z'.repeat(44)}`, '/to'],
    ['/interactions/by/x', '/agent_id'],
    ['/registry?all=maybe', '/all'],
    ['/registry?limit=-5', '/limit'],
    ['/ws/activity?since=-1', '426'],
  ];
  for (const [path, field] of bad) {
    it(`names ${field} as what is wrong with ${path.slice(0, 60)}`, async () => {
      const { status, body } = await aggregator.fetch(path);
      assert.equal(status, field === '426' ? 426 : 400, JSON.stringify(body));
      if (status === 400)
        assert.ok(
          body.fields.some((one: any) => (one.pointer + one.message).includes(field)),
          JSON.stringify(body),
        );
    });
  }
});
