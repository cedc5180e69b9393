import assert from 'node:assert/strict';
import { Operations } from '../../../core/services.ts';
import { newConversation, type TestAgent } from '../../aggregator/support/agent.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { deviceToken, startApns, startExpo, startFcm, startWebhook } from '../../upstreams/push/services.ts';
import type { Upstream } from '../../upstreams/push/upstream.ts';
import { PluginAggregator } from '../support/aggregator.ts';

describe('the services that wake devices', function () {
  this.timeout(20_000);
  const clock = new BriskClock();
  let webhook: Upstream;
  let expo: Awaited<ReturnType<typeof startExpo>>;
  let apns: Awaited<ReturnType<typeof startApns>>;
  let fcm: Awaited<ReturnType<typeof startFcm>>;
  let aggregator: PluginAggregator;
  let sender: TestAgent;
  let count = 0;
  let ann: TestAgent;

  before(async () => {
    const now = () => clock.now();
    [webhook, expo, apns, fcm] = await Promise.all([startWebhook(), startExpo(), startApns(now), startFcm(now)]);
    aggregator = await PluginAggregator.start({
      clock,
      plugins: {
        push: {
          webhook: { allowHttp: true },
          expo: { url: expo.url, accessToken: 'expo-access' },
          apns: { ...apns.account, url: apns.url },
          fcm: { account: fcm.account, url: fcm.url },
        },
      },
      settings: { core: { ingest: { newKeysPerHour: 10_000 } } },
    });
    sender = aggregator.agent('sender');
    await aggregator.introduce(sender);
  });
  const asleep: TestAgent[] = [];
  /** What one test left to be pushed again is no part of the next. */
  async function wakeAll(): Promise<void> {
    for (const agent of asleep.splice(0))
      await aggregator.call('POST /push/sleep', { body: { agent_id: agent.id, sleeping: false }, as: agent });
  }
  beforeEach(async () => {
    await wakeAll();
    for (const upstream of [webhook, expo, apns, fcm]) {
      upstream.requests.length = 0;
      upstream.fault = undefined;
    }
    // Past the pause of a lane that a test before had failing, and past what that test left to be tried.
    clock.shift(2 * 3_600_000);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    for (const upstream of [webhook, expo, apns, fcm]) assert.deepEqual(upstream.complaints, []);
    await aggregator.stop();
    for (const upstream of [webhook, expo, apns, fcm]) upstream.stop();
  });

  /** An agent that sleeps behind this token. */
  async function sleeper(push_token: string): Promise<TestAgent> {
    const agent = aggregator.agent(`sleeper ${count++}`);
    await aggregator.introduce(agent);
    const { status, body } = await aggregator.call('POST /push/register', {
      body: { agent_id: agent.id, push_token },
      as: agent,
    });
    assert.equal(status, 200, JSON.stringify(body));
    await aggregator.call('POST /push/sleep', { body: { agent_id: agent.id, sleeping: true }, as: agent });
    asleep.push(agent);
    return agent;
  }
  async function message(to: TestAgent): Promise<void> {
    const payload = { text: 'secret' } as never;
    const { whole } = sender.sign('MESSAGE', { to, conversation: newConversation(), payload });
    const { status, body } = await aggregator.call(`POST /agents/${to.id}/pending`, { body: whole });
    // The share of one sender bounds what a test may send to one agent, not to many.
    assert.equal(status, 202, JSON.stringify(body));
  }
  const pushesOf = (upstream: Upstream, agent: TestAgent) =>
    upstream.requests.filter(({ body }) => body.includes(agent.id));
  const pushed = (upstream: Upstream, agent: TestAgent, times = 1) =>
    happens('the push', async () => (pushesOf(upstream, agent).length >= times ? true : undefined));
  const isRegistered = async (agent: TestAgent) => {
    const asked = { body: { agent_id: agent.id, sleeping: true }, as: agent };
    return (await aggregator.call('POST /push/sleep', asked)).body.pushes;
  };
  const forgotten = (agent: TestAgent) =>
    happens('the token is removed', async () => ((await isRegistered(agent)) ? undefined : true));

  it('wakes by each of them, and shows nothing', async () => {
    for (const [upstream, token] of [
      [webhook, `${webhook.url}/topic`],
      [expo, 'ExponentPushToken[abc]'],
      [apns, deviceToken('phone')],
      [fcm, `fcm:${'a'.repeat(60)}`],
    ] as const) {
      const agent = await sleeper(token);
      await message(agent);
      await pushed(upstream, agent);
    }
    assert.equal(expo.requests[0]!.headers['authorization'], 'Bearer expo-access');
  });

  it('signs one token for many pushes to Apple, over one connection, and a new one after 40 minutes', async () => {
    const before = apns.connections();
    apns.tokens.clear();
    for (const name of ['one', 'two', 'three']) {
      const agent = await sleeper(deviceToken(name));
      await message(agent);
      await pushed(apns, agent);
    }
    assert.equal(apns.tokens.size, 1);
    assert.ok(apns.connections() - before <= 1);
    clock.shift(41 * 60_000);
    const agent = await sleeper(deviceToken('four'));
    await message(agent);
    await pushed(apns, agent);
    assert.equal(apns.tokens.size, 2);
  });

  it('asks Google for an access token once an hour, and anew when it is refused', async () => {
    const before = fcm.grants();
    const many = await Promise.all(['b', 'c'].map((letter) => sleeper(`fcm:${letter.repeat(60)}`)));
    for (const agent of many) {
      await message(agent);
      await pushed(fcm, agent);
    }
    assert.equal(fcm.grants(), before + 1);
    fcm.granted.clear();
    const agent = await sleeper(`fcm:${'d'.repeat(60)}`);
    await message(agent);
    await pushed(fcm, agent);
    clock.shift(20_000);
    await pushed(fcm, agent, 2);
    assert.equal(fcm.grants(), before + 2);
  });

  it('forgets a token that is dead', async () => {
    expo.dead.add('ExponentPushToken[dead]');
    apns.dead.add(deviceToken('dead'));
    fcm.dead.add(`fcm:${'e'.repeat(60)}`);
    for (const token of ['ExponentPushToken[dead]', deviceToken('dead'), `fcm:${'e'.repeat(60)}`]) {
      const agent = await sleeper(token);
      await message(agent);
      await forgotten(agent);
    }
    webhook.fault = { status: 410 };
    const agent = await sleeper(`${webhook.url}/dead`);
    await message(agent);
    await forgotten(agent);
  });

  it('forgets a token that Expo calls dead only in its receipt', async () => {
    expo.late.add('ExponentPushToken[late]');
    const agent = await sleeper('ExponentPushToken[late]');
    await message(agent);
    await pushed(expo, agent);
    await new Promise((resolve) => setTimeout(resolve, 100));
    clock.shift(16 * 60_000);
    await forgotten(agent);
    assert.equal(pushesOf(expo, agent).length, 1);
  });

  it('tries again after a failure, no sooner than the service asks', async () => {
    webhook.fault = { status: 429, headers: { 'retry-after': '600' } };
    const agent = await sleeper(`${webhook.url}/busy`);
    await message(agent);
    await pushed(webhook, agent);
    webhook.fault = undefined;
    clock.shift(300_000);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal(pushesOf(webhook, agent).length, 1);
    clock.shift(310_000);
    await pushed(webhook, agent, 2);
  });

  it('is not misled by answers of another shape, nor by another status than the documented', async () => {
    for (const [upstream, token, fault] of [
      [expo, 'ExponentPushToken[liar]', { status: 200, body: '{"data":"yes"}' }],
      [expo, 'ExponentPushToken[html]', { status: 200, body: '<html>' }],
      [apns, deviceToken('liar'), { status: 204, body: '' }],
      [fcm, `fcm:${'f'.repeat(60)}`, { status: 500, body: 'x'.repeat(100_000) }],
    ] as const) {
      clock.shift(2 * 3_600_000);
      upstream.fault = fault;
      const agent = await sleeper(token);
      await message(agent);
      await happens('the attempt', async () => (upstream.requests.length > 0 ? true : undefined));
      // So that the answer was heard before the clock jumps.
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(await isRegistered(agent), true);
      upstream.fault = undefined;
      upstream.requests.length = 0;
      clock.shift(61_000);
      await pushed(upstream, agent);
      await wakeAll();
    }
  });

  it('costs nobody else when one is slow', async () => {
    for (const upstream of [expo, webhook]) upstream.fault = { delay: 4_000 };
    const quick = await startWebhook();
    try {
      const slow = await Promise.all(
        Array.from({ length: 12 }, (_, n) => sleeper(n % 2 ? `ExponentPushToken[s${n}]` : `${webhook.url}/slow${n}`)),
      );
      const others = [await sleeper(deviceToken('quick')), await sleeper(`${quick.url}/quick`)];
      for (const agent of slow) await message(agent);
      const from = Date.now();
      for (const agent of others) await message(agent);
      await pushed(apns, others[0]!);
      await pushed(quick, others[1]!);
      assert.ok(Date.now() - from < 3_000, `${Date.now() - from} ms`);
    } finally {
      quick.stop();
    }
  });

  it('counts pushes by service and result, and shows no token anywhere', async () => {
    const { text } = await aggregator.node.get(Operations).metrics();
    for (const provider of ['webhook', 'expo', 'apns', 'fcm'])
      assert.match(text, new RegExp(`mesh_push_total\\{[^}]*provider="${provider}"[^}]*result="sent"`), provider);
    assert.doesNotMatch(text, /ExponentPushToken|fcm:/);
  });

  it('takes no token of a service that is not set up, and no address of a private network', async () => {
    const guarded = await PluginAggregator.start({ settings: { mesh: { allowPrivatePeers: false } } });
    try {
      ann = guarded.agent('ann');
      await guarded.introduce(ann);
      const register = (push_token: string, more = {}) =>
        guarded.call('POST /push/register', { body: { agent_id: ann.id, push_token, ...more }, as: ann });
      for (const token of [
        'ExponentPushToken[abc]',
        deviceToken('phone'),
        'x',
        'http://93.184.216.34/topic',
        'https://127.0.0.1/topic',
        'https://[::1]/topic',
        'https://169.254.169.254/latest',
        'https://user:word@93.184.216.34/',
      ]) {
        const { status, body } = await register(token);
        assert.deepEqual([status, body.fields?.[0].pointer], [400, '/push_token'], token);
      }
      const named = await register('https://93.184.216.34/x', { provider: 'apns' });
      assert.deepEqual([named.status, named.body.fields?.[0].pointer], [400, '/provider']);
      assert.equal((await register('https://93.184.216.34/topic')).status, 200);
    } finally {
      await guarded.stop();
    }
  });
});
