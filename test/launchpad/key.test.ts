import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LaunchpadMesh, startLaunchpadMesh, WISH } from './support/launchpad-mesh.ts';

const MINT = '8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh';
const SWAP = { token_mint: MINT, amount: 1_000, action: 'buy' };
const ROUTES: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/launchpad/config'],
  ['POST', '/launchpad/launch', WISH],
  ['POST', '/launchpad/swap/quote', SWAP],
  ['POST', '/launchpad/swap/execute', SWAP],
  ['GET', `/launchpad/pool/${MINT}`],
  ['GET', '/launchpad/positions'],
  ['GET', '/launchpad/claimable'],
  ['POST', '/launchpad/claim', { token_mint: MINT }],
  ['GET', `/launchpad/chart-listing/check/${MINT}`],
  ['POST', '/launchpad/chart-listing/list', { token_mint: MINT, image_url: 'https://images.example.com/a.png' }],
];

describe('the key of the launchpad', function () {
  this.timeout(60_000);
  let at: LaunchpadMesh;
  before(async () => {
    at = await startLaunchpadMesh();
  });
  after(() => at?.stop());

  const file = () => join(at.mesh.folder, 'bob', 'plugins', 'launchpad', 'api-key.json');

  it('is needed for every route but the one that sets it', async () => {
    for (const [method, path, body] of ROUTES) {
      const answer = await at.bob.call(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [503, 'launchpad_not_configured'], path);
    }
  });

  it('is missed before a word of the request is looked at, and after the secret', async () => {
    const pairs: readonly (readonly [string, string, unknown?])[] = [
      ...ROUTES.filter(([method]) => method === 'POST').flatMap(([method, path]) =>
        [{}, { symbol: 7 }, [], 'text'].map((body) => [method, path, body] as const),
      ),
      ['GET', '/launchpad/pool/no-mint'],
      ['GET', '/launchpad/chart-listing/check/no-mint'],
      ['GET', '/launchpad/config?unknown=1'],
    ];
    for (const [method, path, body] of pairs) {
      const answer = await at.bob.call(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [503, 'launchpad_not_configured'], `${method} ${path}`);
      const stranger = await at.bob.call(method, path, body, { authorization: 'Bearer no' });
      assert.equal(stranger.status, 401, path);
      assert.equal((await at.alice.call(method, path, body)).status < 500, true, path);
    }
  });

  it('asks every caller for the secret of the node, on the same machine too', async () => {
    for (const [method, path, body] of [...ROUTES, ['POST', '/launchpad/set-api-key', { api_key: 'x' }] as const])
      for (const member of [at.alice, at.bob])
        assert.equal((await member.call(method, path, body, { authorization: 'Bearer no' })).status, 401, path);
  });

  it('can be set while the node runs, holds at once and over restarts, and nobody else may read it', async () => {
    const first = 'a-key-that-is-wrong-0123456789';
    assert.equal((await at.bob.post('/launchpad/set-api-key', { api_key: first })).status, 204);
    const refused = await at.bob.get('/launchpad/claimable');
    assert.deepEqual([refused.status, refused.body.code], [502, 'upstream_failed']);
    assert.ok(!JSON.stringify(refused.body).includes(first));
    assert.equal((await at.bob.post('/launchpad/set-api-key', { api_key: at.service.apiKey })).status, 204);
    assert.equal((await at.bob.get('/launchpad/claimable')).status, 200);
    await at.bob.restart();
    assert.equal((await at.bob.get('/launchpad/claimable')).status, 200);
    assert.equal((await stat(file())).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(join(file(), '..')), ['api-key.json']);
    const { body } = await at.bob.get('/launchpad/config');
    assert.deepEqual(body, {
      ...{ api_url: at.service.url, fee_bps: 0, creator_fee_bps: 10_000, partner_configured: false },
      api_key_source: 'runtime',
    });
  });

  it('replaces the key of the configuration, until that is another one', async () => {
    const config = async () => (await at.alice.get('/launchpad/config')).body;
    assert.deepEqual([(await config()).api_key_source, (await config()).partner_configured], ['configuration', true]);
    const configured = at.service.apiKey;
    at.service.apiKey = 'a-key-that-was-rotated';
    assert.equal((await at.alice.get('/launchpad/claimable')).status, 502);
    await at.alice.post('/launchpad/set-api-key', { api_key: at.service.apiKey });
    assert.equal((await at.alice.get('/launchpad/claimable')).status, 200);
    await at.alice.restart();
    assert.equal((await config()).api_key_source, 'runtime');
    assert.equal((await at.alice.get('/launchpad/claimable')).status, 200);
    const kept = JSON.parse(await readFile(file().replace('/bob/', '/alice/'), 'utf8'));
    assert.ok(!JSON.stringify(kept).includes(configured), 'the old key is not kept');
  });

  it('is no text that a header cannot carry', async () => {
    for (const api_key of ['', 'a b', 'a\nb', 'ä', 'x'.repeat(513)]) {
      const { status, body } = await at.alice.post('/launchpad/set-api-key', { api_key });
      assert.deepEqual([status, body.fields[0].pointer], [400, '/api_key'], api_key);
    }
  });

  it('stands in no answer of a launchpad that says it', async () => {
    at.service.failNext('/token-launch/claimable-positions', 'unsuccessful');
    const { status, body } = await at.alice.get('/launchpad/claimable');
    assert.deepEqual([status, body.code], [422, 'launchpad_refused']);
    assert.match(body.detail, /told to fail with \*\*\*/);
  });

  it('waits as the launchpad says when it has had enough', async () => {
    const reset = Math.floor(Date.now() / 1_000) + 90;
    for (const [headers, least, most] of [
      [{ 'x-ratelimit-reset': String(reset) }, 60, 91],
      [{ 'retry-after': '7' }, 7, 7],
      [{}, 60, 60],
      [{ 'retry-after': '999999' }, 3_600, 3_600],
    ] as const) {
      at.service.failNext('/token-launch/claimable-positions', { status: 429, headers });
      const answer = await at.alice.get('/launchpad/claimable');
      assert.deepEqual([answer.status, answer.body.code], [429, 'launchpad_rate_limited']);
      const told = Number(answer.headers.get('retry-after'));
      assert.ok(told >= least && told <= most, String(told));
    }
  });

  it('says how the launchpad failed, whatever it answers', async () => {
    for (const failure of [
      { status: 500 },
      { status: 503, body: '<html>' },
      { status: 200, body: '{"success":true,"response":{}}' },
    ]) {
      at.service.failNext('/token-launch/claimable-positions', failure);
      const { status, body } = await at.alice.get('/launchpad/claimable');
      assert.deepEqual([status, body.code], [502, 'upstream_failed'], JSON.stringify(failure));
    }
  });
});
