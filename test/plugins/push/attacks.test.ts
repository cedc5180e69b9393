import assert from 'node:assert/strict';
import { Lanes } from '../../../plugins/push/lanes.ts';
import { newConversation, type TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { deviceToken, startApns, startExpo, startWebhook } from '../../upstreams/push/services.ts';
import type { Upstream } from '../../upstreams/push/upstream.ts';
import { PluginAggregator } from '../support/aggregator.ts';

const HOUR = 3_600_000;

describe('attacks on the waking of others', function () {
  this.timeout(30_000);
  let expo: Upstream;
  let apns: Awaited<ReturnType<typeof startApns>>;
  let aggregator: PluginAggregator;
  let sender: TestAgent;
  let count = 0;

  before(async () => {
    [expo, apns] = await Promise.all([startExpo(), startApns(() => aggregator.clock.now())]);
    aggregator = await PluginAggregator.start({
      plugins: {
        push: {
          webhook: { allowHttp: true },
          expo: { url: expo.url, accessToken: 'expo-access' },
          apns: { ...apns.account, url: apns.url },
        },
      },
      settings: { core: { ingest: { newKeysPerHour: 10_000 } } },
    });
    sender = aggregator.agent('sender');
    await aggregator.introduce(sender);
  });
  after(async () => {
    await aggregator.stop();
    expo.stop();
    apns.stop();
  });

  async function sleeper(push_token: string): Promise<TestAgent> {
    const agent = aggregator.agent(`sleeper ${count++}`);
    await aggregator.introduce(agent);
    await aggregator.call('POST /push/register', { body: { agent_id: agent.id, push_token }, as: agent });
    await aggregator.call('POST /push/sleep', { body: { agent_id: agent.id, sleeping: true }, as: agent });
    return agent;
  }
  async function message(to: TestAgent): Promise<void> {
    const payload = { text: 'hello' } as never;
    const { whole } = sender.sign('MESSAGE', { to, conversation: newConversation(), payload });
    const { status, body } = await aggregator.call(`POST /agents/${to.id}/pending`, { body: whole });
    assert.equal(status, 202, JSON.stringify(body));
  }
  const pushed = (upstream: Upstream, agent: TestAgent) =>
    happens('the push', async () => (upstream.requests.some(({ body }) => body.includes(agent.id)) ? true : undefined));

  it('by twelve hosts that answer nothing hold up no phone', async () => {
    const silent = await Promise.all(Array.from({ length: 12 }, () => startWebhook()));
    try {
      for (const host of silent) host.fault = { delay: 6_000 };
      const slow = await Promise.all(silent.map(({ url }) => sleeper(`${url}/silent`)));
      const phones = [await sleeper('ExponentPushToken[phone]'), await sleeper(deviceToken('phone'))] as const;
      for (const agent of slow) await message(agent);
      await happens('the hosts are called', async () =>
        silent.filter(({ requests }) => requests.length > 0).length >= 4 ? true : undefined,
      );
      const from = Date.now();
      for (const agent of phones) await message(agent);
      await Promise.all([pushed(expo, phones[0]), pushed(apns, phones[1])]);
      assert.ok(Date.now() - from < 4_000, `${Date.now() - from} ms`);
    } finally {
      for (const host of silent) host.stop();
    }
  });

  it('by a device that is pushed too often rest no service', async () => {
    for (const [upstream, tokens, fault] of [
      [apns, [deviceToken('busy'), deviceToken('idle')], { status: 429, body: '{"reason":"TooManyRequests"}' }],
      [
        expo,
        ['ExponentPushToken[busy]', 'ExponentPushToken[idle]'],
        { status: 200, body: '{"data":[{"status":"error","details":{"error":"MessageRateExceeded"}}]}' },
      ],
    ] as const) {
      upstream.fault = fault;
      const [busy, idle] = [await sleeper(tokens[0]), await sleeper(tokens[1])];
      await message(busy);
      await pushed(upstream, busy);
      upstream.fault = undefined;
      const from = Date.now();
      await message(idle);
      await pushed(upstream, idle);
      assert.ok(Date.now() - from < 4_000, `${Date.now() - from} ms`);
    }
  });

  it('by a thousand hosts that ask for an hour of rest close no lane of others', async () => {
    let now = 0;
    const lanes = new Lanes(() => now);
    for (let n = 0; n < 1_000; n += 1)
      await lanes.run({ kind: 'host', name: `${n}.attack.example` }, async () => ({ failed: true, after: HOUR }));
    now = 1_000;
    assert.deepEqual(
      [
        lanes.opensAt({ kind: 'service', name: 'expo' }),
        lanes.opensAt({ kind: 'host', name: 'ntfy.example' }),
        lanes.opensAt({ kind: 'host', name: '999.attack.example' }),
      ],
      [0, 0, HOUR],
    );
  });

  it('by strangers that write to agents of their own fill no queue of others', async () => {
    const small = await PluginAggregator.start({
      plugins: { push: { mostHeld: 100 } },
      settings: { core: { ingest: { newKeysPerHour: 10_000 } } },
    });
    try {
      const names = (kind: string, most: number) => Array.from({ length: most }, (_, n) => small.agent(`${kind} ${n}`));
      const [crowd, sleepers] = [names('crowd', 11), names('sleeper', 3)];
      await small.introduce(...crowd, ...sleepers);
      const leave = async (from: TestAgent, to: TestAgent) => {
        const payload = { text: 'hello' } as never;
        const { whole } = from.sign('MESSAGE', { to, conversation: newConversation(), payload });
        return (await small.call(`POST /agents/${to.id}/pending`, { body: whole })).status;
      };
      for (const agent of sleepers)
        await small.call('POST /push/sleep', { body: { agent_id: agent.id, sleeping: true }, as: agent });
      let held = 0;
      for (const to of sleepers)
        for (const from of crowd) for (let n = 0; n < 5; n += 1) if ((await leave(from, to)) === 202) held += 1;
      assert.equal(held, 50, 'half of all that is held is for senders with standing');
    } finally {
      await small.stop();
    }
  });

  it('by a moment without a store close no lane for ever', async () => {
    const lanes = new Lanes(() => 0);
    const expo = { kind: 'service', name: 'expo' } as const;
    const fails = lanes.run(expo, () => Promise.reject(new Error('no space left on the device')));
    await assert.rejects(fails, /no space/);
    let isPushed = false;
    await lanes.run(expo, async () => {
      isPushed = true;
      return { failed: false };
    });
    assert.equal(isPushed, true);
  });
});
