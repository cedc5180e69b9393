import assert from 'node:assert/strict';
import { AggregatorClient } from '../../../core/client/aggregator-client.ts';
import type { ClientError } from '../../../core/client/client-error.ts';
import type { SignRequest } from '../../../core/client/http-caller.ts';
import { systemClock, systemRandom } from '../../../core/platform/system-clock.ts';
import { tokenSigner } from '../../../core/protocol/signer/token-signer.ts';
import type { TestAgent } from '../../aggregator/support/agent.ts';
import { PluginAggregator } from '../support/aggregator.ts';

describe('the sleep state of an agent', () => {
  let aggregator: PluginAggregator;
  let ann: TestAgent;
  let bob: TestAgent;
  beforeEach(async () => {
    aggregator = await PluginAggregator.start({ storage: { use: 'lowdb' } });
    [ann, bob] = [aggregator.agent('ann'), aggregator.agent('bob')];
    await aggregator.introduce(ann);
  });
  afterEach(() => aggregator.stop());

  function signedBy({ identity }: TestAgent): SignRequest {
    const sign = tokenSigner(identity, systemClock, systemRandom);
    return (request) => sign(request).token;
  }
  const clientOf = (agent: TestAgent, more: object = {}) =>
    new AggregatorClient({ url: aggregator.url, sign: signedBy(agent), ...more });
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => assert.fail('it was not refused'),
      ({ status, code }: ClientError) => [status, code],
    );

  it('is awake, sleeping, and awake again, as the agent says', async () => {
    const client = clientOf(ann);
    assert.deepEqual(await client.isSleeping(ann.id), { sleeping: false });
    for (const _ of [1, 2]) {
      const { detail, ...answer } = await client.setSleeping(ann.id, true);
      assert.deepEqual(answer, { sleeping: true, holds_messages: true, pushes: false, pending: 0 });
      assert.match(detail, /wait here.*No device is registered/);
    }
    assert.deepEqual(await new AggregatorClient({ url: aggregator.url }).isSleeping(ann.id), { sleeping: true });
    const inHex = Buffer.from(ann.identity.key).toString('hex');
    assert.equal((await client.setSleeping(inHex, false)).sleeping, false);
    assert.deepEqual(await client.isSleeping(ann.id), { sleeping: false });
  });

  it('survives a restart', async () => {
    await clientOf(ann).setSleeping(ann.id, true);
    await aggregator.halt();
    await aggregator.begin();
    assert.deepEqual(await clientOf(bob).isSleeping(ann.id), { sleeping: true });
  });

  it('is nobody else’s to set', async () => {
    assert.deepEqual(await refusal(clientOf(bob).setSleeping(ann.id, true)), [403, 'forbidden']);
    assert.deepEqual(await refusal(clientOf(bob).setSleeping(bob.id, true)), [404, 'not_found']);
    const unsigned = new AggregatorClient({ url: aggregator.url });
    assert.deepEqual(await refusal(unsigned.setSleeping(ann.id, true)), [0, 'not_signed']);
    const elsewhere = clientOf(ann, { audience: 'https://other.example' });
    assert.deepEqual(await refusal(elsewhere.setSleeping(ann.id, true)), [401, 'unauthorized']);
    assert.deepEqual(await clientOf(ann).isSleeping(ann.id), { sleeping: false });
  });

  it('is not set again by an old token', async () => {
    const captured: { url: string; init: RequestInit }[] = [];
    const listening: typeof fetch = (url, init) => {
      captured.push({ url: String(url), init: init! });
      return fetch(url, init);
    };
    await clientOf(ann, { fetch: listening }).setSleeping(ann.id, true);
    await clientOf(ann).setSleeping(ann.id, false);
    const { url, init } = captured[0]!;
    const replay = (headers: object) =>
      fetch(url, { ...init, headers: Object.assign({}, init.headers, headers), signal: null });
    assert.equal((await replay({})).headers.get('idempotency-replayed'), 'true');
    assert.equal((await replay({ 'idempotency-key': 'another' })).status, 401);
    assert.deepEqual(await clientOf(ann).isSleeping(ann.id), { sleeping: false });
  });
});
