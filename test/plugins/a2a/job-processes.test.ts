import assert from 'node:assert/strict';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../../core/platform/system-clock.ts';
import type { Http } from '../../../core/services.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { Jobs } from '../../../plugins/a2a/outbound/jobs.ts';
import { happens } from '../../support/happens.ts';
import { Elsewhere } from './support/elsewhere.ts';

/** Without the bounds of a node. */
const http = {
  async request(url: string, { method = 'GET', headers = {}, body = null }: any = {}) {
    const answer = await fetch(url, { method, headers, body });
    const text = await answer.text();
    return { url: answer.url, status: answer.status, text: () => text };
  },
} as unknown as Http;

describe('jobs elsewhere, at two processes of one node', () => {
  let elsewhere: Elsewhere;
  let store: Store;
  let ended: AbortController;

  before(async () => {
    elsewhere = await Elsewhere.start();
    elsewhere.card = elsewhere.cardOf('JSONRPC');
  });
  beforeEach(async () => {
    store = await openStore(memoryStorage({ clock: systemClock }), {
      ...{ clock: systemClock, random: systemRandom, validate: () => [] },
    });
    ended = new AbortController();
  });
  afterEach(async () => {
    ended.abort();
    await store.close();
  });
  after(() => elsewhere.end());

  async function begun(): Promise<Jobs> {
    const means = { clock: systemClock, random: systemRandom, log: silentLog, signal: ended.signal };
    // The card of these jobs has no signature.
    const unasked = async () => assert.fail('nothing is signed here');
    const signatures = { envelope: unasked, heartbeat: unasked, cardKey: unasked };
    const card = { signatures, network: 'jobs', signedOnly: false };
    const jobs = new Jobs({ ...means, ...card, http, space: store.space('a2a'), tokens: new Map() });
    await jobs.open();
    return jobs;
  }

  it('keep the answer to a message that one sends while the other starts', async () => {
    const one = await begun();
    let release = () => {};
    elsewhere.held = new Promise((done) => {
      release = done;
    });
    const before = elsewhere.messages;
    const sending = one.begin(elsewhere.url, 'slow', 'an operation');
    await happens('the message is there', async () => elsewhere.messages > before || undefined);
    const other = await begun();
    assert.deepEqual(
      (await other.list(1, 0)).map(({ state }) => state),
      ['unclear'],
    );
    release();
    elsewhere.held = undefined;
    const { id, state, task, error } = await sending;
    assert.deepEqual([state, task, error], ['working', `task-${elsewhere.messages}`, null]);
    assert.equal((await other.cancel(id)).state, 'canceled');
  });

  it('are sent once, though both begin the same operation at once', async () => {
    const [one, other] = [await begun(), await begun()];
    const before = elsewhere.messages;
    const both = await Promise.all([
      one.begin(elsewhere.url, 'slow', 'the same'),
      other.begin(elsewhere.url, 'slow', 'the same'),
    ]);
    assert.equal(both[0].id, both[1].id);
    assert.equal(elsewhere.messages, before + 1);
    assert.equal((await one.get(both[0].id)).state, 'working');
  });

  it('leave their place free when the other process ends them', async () => {
    const [one, other] = [await begun(), await begun()];
    for (let count = 0; count < 70; count++) {
      const { id } = await one.begin(elsewhere.url, 'slow', undefined);
      await other.cancel(id);
    }
    for (let count = 0; count < 64; count++) await (count % 2 ? one : other).begin(elsewhere.url, 'slow', undefined);
    await assert.rejects(one.begin(elsewhere.url, 'slow', undefined), /64 jobs are open/);
  });
});
