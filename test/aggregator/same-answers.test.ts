import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { PluginAggregator, tokenOf } from '../plugins/support/aggregator.ts';
import { ROWS } from '../spec/specified-rows.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { newConversation, signDeal, type TestAgent, type Wire, wireOf } from './support/agent.ts';

const DAY = 86_400_000;
const OPERATOR = 'an-operator-secret-of-tests';

/** Time that moves only when the test moves it, so that both aggregators write down the same moments. */
class StoppedClock extends BriskClock {
  #at = Math.floor(Date.now() / DAY) * DAY + 3_600_000;

  override now(): number {
    return this.#at;
  }

  override shift(ms: number): void {
    this.#at += ms;
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Paths that tell of the process and not of what it was told. */
const OF_THE_PROCESS = /^\/(metrics|ready|health|mesh|network|docs|asyncapi\.json|openapi\.json|\.well-known\/.*)$/;
/** When a job last looked, and what went by since: jobs look by the time of the machine. */
const OF_ITS_JOBS = new Set(['as_of', 'beacon_bpm']);
/** Rows of nodes, and those that need a ledger, a launchpad or billing. */
const OF_NODES =
  /^\/(health|identity|peers|batch|skill|admin|trade|portfolio|hosted|launchpad|billing|registry\/8004)(\/|$)|\/(pending)$/;
const FILES = /^\/(explorer|recount|guides|schemas)\//;

describeRedis('an aggregator on files and one on Redis that are told the same', function () {
  this.timeout(180_000);
  const clock = new StoppedClock();
  const conversations: string[] = [];
  const cids: string[] = [];
  let redis: RedisServer;
  let both: PluginAggregator[] = [];
  let agents: TestAgent[] = [];
  /** Values that each made up itself: its key, its address, the ids of its campaigns. */
  const own: Map<string, string>[] = [new Map(), new Map()];

  before(async () => {
    redis = await RedisServer.start();
    const plugins = { campaigns: { operatorSecret: OPERATOR } };
    const start = (storage: Record<string, unknown>) => PluginAggregator.start({ storage, plugins, clock });
    both = [await start({ use: 'lowdb' }), await start({ use: 'redis', url: redis.url })];
    known();
    agents = ['ann', 'bob', 'cid', 'dot'].map((name) => both[0]!.agent(`same ${name}`));
  });
  after(async () => {
    for (const one of both) {
      assert.deepEqual(one.errors, []);
      await one.stop();
    }
    await redis?.stop();
  });

  function known(): void {
    for (const [place, one] of both.entries()) own[place]!.set(new URL(one.url).host, 'its-own-address');
  }

  async function each(ask: (one: PluginAggregator, place: number) => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const [place, one] of both.entries()) {
      const { status, body } = await ask(one, place);
      let text = JSON.stringify(body, (name, value) => (OF_ITS_JOBS.has(name) ? undefined : value)) ?? '';
      for (const [mine, name] of own[place]!) text = text.replaceAll(mine, name);
      answers.push({ status, body: text === '' ? undefined : JSON.parse(text) });
    }
    return answers;
  }

  async function same(what: string, ask: (one: PluginAggregator, place: number) => Promise<Answer>): Promise<Answer> {
    const [files, kept] = await each(ask);
    assert.deepEqual(kept, files, what);
    return files!;
  }

  async function tell(...wires: Wire[]): Promise<any[]> {
    const body = { items: wires.map(({ whole }) => whole) };
    const { status, body: told } = await same('a report', (one) => one.call('POST /ingest/envelopes', { body }));
    assert.equal(status, 200);
    clock.shift(10);
    return (told as any).results.map(({ status: result }: any) => result);
  }

  async function trade(requester: TestAgent, provider: TestAgent, score: number): Promise<void> {
    const { propose, accept, deliver, conversation } = signDeal(requester, provider, clock.now());
    conversations.push(conversation);
    const back = provider.feedback(requester, conversation, 20);
    const all = [propose, accept, deliver, requester.feedback(provider, conversation, score), back];
    assert.deepEqual([...new Set(await tell(...all))], ['accepted']);
  }

  /** Each open GET of the API document, with every name that was told, and one that was not. */
  async function questions(): Promise<string[]> {
    const stranger = both[0]!.agent('same stranger').id;
    const values: Record<string, readonly string[]> = {
      agent_id: [...agents.map(({ id }) => id), stranger],
      identifier: [agents[0]!.id],
      wallet: [agents[1]!.id, stranger],
      conversation_id: [conversations[0]!, conversations.at(-1)!, newConversation()],
      cid: [...cids, '0'.repeat(64)],
      epoch: [0, 1].map((ago) => `${Math.floor(clock.now() / DAY) - ago}`),
      id: ['its-own-campaign', '00000000-0000-4000-8000-000000000000'],
    };
    const needed: Record<string, string> = { q: 'same', amount: '5', destination_chain: 'base' };
    const { paths } = await both[0]!.read('/openapi.json');
    const found: string[] = [];
    for (const [path, { get }] of Object.entries<any>(paths)) {
      if (!get || OF_THE_PROCESS.test(path) || FILES.test(path)) continue;
      const query = ((get.parameters ?? []) as any[]).filter((one) => one.in === 'query');
      const must = query.filter((one) => one.required || one.name in needed).map(({ name }) => name);
      const asked = must.map((name: string) => `${name}=${needed[name]}`);
      const pages = ['limit', 'offset'].filter((name) => query.some((one) => one.name === name));
      const page = pages.map((name) => `${name}=${name === 'limit' ? 2 : 1}`);
      let filled = [path];
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        filled = filled.flatMap((one) => (values[name!] ?? []).map((value) => one.replace(`{${name}}`, value)));
      for (const one of filled) {
        found.push([one, asked.join('&')].filter(Boolean).join('?'));
        if (page.length > 0) found.push(`${one}?${[...asked, ...page].join('&')}`);
      }
    }
    return found;
  }

  async function compared(): Promise<Map<string, Answer>> {
    const answers = new Map<string, Answer>();
    for (const path of await questions()) {
      const ask = (one: PluginAggregator, place: number) => {
        const [campaign = 'none'] = [...own[place]!].find(([, name]) => name === 'its-own-campaign') ?? [];
        return one.call(`GET ${path.replace('its-own-campaign', campaign)}`);
      };
      // Scores, clusters and closed epochs follow what was told after a moment, so answers are not asked for again that were alike.
      const alike = await happens(`the same answer to ${path}`, async () => {
        const [files, kept] = await each(ask);
        return isDeepStrictEqual(kept, files) ? files : undefined;
      }).catch(() => undefined);
      answers.set(path, alike ?? (await same(path, ask)));
    }
    return answers;
  }

  it('judge reports, heartbeats, blobs, sleepers and campaigns alike', async () => {
    const [ann, bob, cid, dot] = agents as [TestAgent, TestAgent, TestAgent, TestAgent];
    const work = newConversation();
    const bounty = { required_capability: 'counting', max_budget_usd: 5, task_summary: 'Count.' };
    await tell(...agents.map((one, place) => one.beacon(`same ${place}`)));
    await tell(
      bob.sign('ADVERTISE', { payload: { capabilities: ['counting'], geo: { country: 'no', city: 'Oslo' } } }),
      ann.sign('BOUNTY', { conversation: work, payload: { ...bounty, deadline_secs: 3_600, conversation_id: work } }),
    );
    for (const [one, other, score] of [
      [ann, bob, 80],
      [cid, bob, 60],
      [ann, cid, -40],
      [dot, ann, 10],
    ] as const)
      await trade(one, other, score);
    const { propose } = signDeal(ann, bob, clock.now());
    assert.deepEqual(await tell(propose, propose), ['accepted', 'duplicate']);
    const forged = wireOf({ ...ann.beacon('forged').envelope, signature: new Uint8Array(64) });
    assert.deepEqual(await tell(forged), ['invalid']);
    await same('a heartbeat', (one) => one.call('POST /hosting/register', one.heartbeat(dot)));
    await same('the same heartbeat', (one) => one.call('POST /hosting/register', one.heartbeat(dot)));
    await same('a foreign one', (one) => one.call('POST /hosting/register', one.heartbeat(dot, {}, ann)));
    const bytes = Buffer.from('the same bytes');
    const { body } = await same('a blob', (one) => one.call('POST /blobs', { body: bytes, as: ann }));
    cids.push((body as any).cid);
    const asleep = { agent_id: dot.id, sleeping: true };
    await same('a sleeper', (one) => one.call('POST /push/sleep', { body: asleep, as: dot }));
    const letter = bob.sign('MESSAGE', { to: dot, conversation: newConversation(), payload: { text: 'hi' } as never });
    await same('what waits for it', (one) => one.call(`POST /agents/${dot.id}/pending`, { body: letter.whole }));
    await same('a campaign', async (one, place) => {
      const asked = {
        data_type: 'audio',
        payout_usdc_micro: 50_000,
        expires_at: Math.floor(clock.now() / 1_000) + DAY,
      };
      const made = await one.call('POST /campaigns', { body: asked, headers: { authorization: `Bearer ${OPERATOR}` } });
      own[place]!.set(made.body.id, 'its-own-campaign');
      return made;
    });
  });

  it('answer every read alike, the rows of the specification among them', async () => {
    const answers = await compared();
    const scored = [...answers].filter(([path]) => path === `/reputation/${agents[1]!.id}`);
    assert.deepEqual(
      scored.map(([, { status }]) => status),
      [200],
    );
    const patterns = [...answers.keys()].map((path) => path.split('?')[0]!);
    for (const row of ROWS.filter((one) => one.startsWith('GET '))) {
      const path = row.slice(4).split('?')[0]!;
      const pattern = new RegExp(`^${path.replace(/:\w+|\{\w+\}/g, '[^/]+')}$`);
      if (OF_NODES.test(path)) continue;
      assert.ok(
        patterns.some((one) => pattern.test(one)),
        `${row} was not asked`,
      );
    }
  });

  it('give a sleeper the same letters', async () => {
    const dot = agents[3]!;
    const path = `/agents/${dot.id}/pending`;
    const { body } = await same('the letters', (one) => {
      const token = tokenOf(
        dot,
        { audience: one.node.publicUrl, method: 'GET', target: path, body: Buffer.alloc(0) },
        clock,
      );
      return one.call(`GET ${path}`, { headers: { authorization: `Bearer ${token}` } });
    });
    assert.equal((body as any[]).length, 1);
  });

  it('do so when epochs have passed, and after a restart', async () => {
    const [ann, bob, cid] = agents as [TestAgent, TestAgent, TestAgent];
    clock.shift(DAY);
    await tell(ann.beacon('same 0'), bob.beacon('another name'));
    await trade(bob, cid, 70);
    await trade(cid, ann, 30);
    await compared();
    for (const one of both) {
      await one.halt();
      await one.begin();
    }
    known();
    const answers = await compared();
    assert.ok([...answers.values()].filter(({ status }) => status === 200).length > 60, `${answers.size} answers`);
  });
});
