import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { happens } from '../support/happens.ts';
import { type LaunchpadMesh, PARTNER, startLaunchpadMesh, WISH } from './support/launchpad-mesh.ts';

describe('launches of tokens', function () {
  this.timeout(90_000);
  let at: LaunchpadMesh;
  before(async () => {
    at = await startLaunchpadMesh();
    await happens(
      'the aggregator has heard of alice',
      async () => (await at.mesh.aggregator.agents()).some(({ agent_id }) => agent_id === at.alice.id) || undefined,
    );
  });
  after(() => at?.stop());

  const launch = (more: object = {}, headers: Record<string, string> = {}) =>
    at.alice.post('/launchpad/launch', { ...WISH, ...more }, headers);
  const lamports = async (address: string) => (await at.alice.node.get(Ledger).balances(address)).lamports;
  const holds = async (mint: string) =>
    (await at.alice.node.get(Ledger).balances(at.alice.id)).tokens.find((one) => one.mint === mint)?.amount ?? 0n;
  const isLaunched = async (mint: string) => Boolean((await at.alice.node.get(Ledger).accounts.latest([mint]))[0]);

  it('uploads, has its fees shared by the sponsor, launches, and says so in the history', async () => {
    const [wallet, sponsor] = [await lamports(at.alice.id), await lamports(at.sponsor)];
    const { status, body } = await launch();
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(await isLaunched(body.token_mint));
    const token = at.service.token(body.token_mint)!;
    assert.deepEqual([token.name, token.symbol, token.image], [WISH.name, WISH.symbol, WISH.image_url]);
    assert.equal(body.metadata_uri, token.uri);
    assert.match(body.status, /confirmed|final/);
    // The fee share was paid by the sponsor, everything else by the agent.
    assert.ok(sponsor - (await lamports(at.sponsor)) >= 2_010_000n);
    assert.ok(wallet - (await lamports(at.alice.id)) < 5_000_000n);
    const entry = await happens('an entry', async () =>
      (await at.alice.get('/portfolio/history?type=launchpad')).body.events.find(
        (one: any) => one.signature === body.txid,
      ),
    );
    assert.deepEqual([entry.action, entry.token_mint, entry.source], ['launch', body.token_mint, 'launchpad']);
  });

  it('gives all fees to the agent, and names the partner', async () => {
    const { body } = await launch({ symbol: 'FEES' });
    const asked = at.service.requests
      .filter(({ path, body: sent }) => path.endsWith('/fee-share/config') && sent.includes(body.token_mint))
      .map(({ body: sent }) => JSON.parse(sent));
    assert.ok(asked.length >= 2);
    for (const { claimersArray, basisPointsArray, partner, partnerConfig } of asked) {
      assert.deepEqual([claimersArray, basisPointsArray], [[at.alice.id], [10_000]]);
      assert.deepEqual([partner, partnerConfig], [PARTNER.partnerWallet, PARTNER.partnerKey]);
    }
    assert.deepEqual(new Set(asked.map(({ payer }) => payer)), new Set([at.sponsor, at.alice.id]));
  });

  it('buys at the launch for so many lamports', async () => {
    const { status, body } = await launch({ symbol: 'BUYS', initial_buy_lamports: 10_000_000 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(await holds(body.token_mint), 10_000_000_000n);
  });

  it('takes no image for none', async () => {
    for (const [symbol, more] of [
      ['NULL', { image_url: null }],
      ['NONE', { image_url: undefined }],
    ] as const) {
      const { status, body } = await launch({ symbol, ...more });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(at.service.token(body.token_mint)!.image, 'blank.png');
    }
  });

  it('launches once for the same words, and for the same key', async () => {
    const [one, two] = await Promise.all([launch({ symbol: 'SAME' }), launch({ symbol: 'SAME' })]);
    const again = await launch({ symbol: 'SAME' });
    assert.deepEqual(one.body, two.body);
    assert.equal(again.body.txid, one.body.txid);
    const keyed = await launch({ symbol: 'SAME' }, { 'idempotency-key': 'another' });
    assert.notEqual(keyed.body.token_mint, one.body.token_mint);
    assert.deepEqual((await launch({ symbol: 'SAME' }, { 'idempotency-key': 'another' })).body, keyed.body);
  });

  it('signs nothing but a launch, names what was wrong, and goes on from there', async () => {
    const uploads = () => at.service.callsOf('/token-launch/create-token-info');
    const before = uploads();
    const spent = await lamports(at.alice.id);
    for (const [failure, reason] of [
      ['theft', /takes \d+ lamports, and 50000000 is allowed/],
      ['other-payer', /has its fee paid by/],
      ['other-program', /could call Stake1/],
    ] as const) {
      at.service.failNext('/token-launch/create-launch-transaction', failure);
      const { status, body } = await launch({ symbol: 'EVIL' });
      assert.deepEqual([status, body.code], [422, 'transaction_refused'], JSON.stringify(body));
      assert.match(body.detail, reason);
    }
    assert.equal(await lamports(at.alice.id), spent);
    assert.equal((await launch({ symbol: 'EVIL' })).status, 200);
    assert.equal(uploads(), before + 1, 'the metadata was uploaded once');
  });

  it('says how a step failed, and goes on from there', async () => {
    for (const path of [
      '/token-launch/create-token-info',
      '/fee-share/config',
      '/token-launch/create-launch-transaction',
    ]) {
      at.service.failNext(path, { status: 500 });
      const { status, body } = await launch({ symbol: 'FAIL' });
      assert.deepEqual([status, body.code], [502, 'upstream_failed'], `${path}: ${JSON.stringify(body)}`);
    }
    const { body } = await launch({ symbol: 'FAIL' });
    assert.ok(await isLaunched(body.token_mint));
  });

  it('asks for nothing with words that do not fit, and names the field', async () => {
    const before = at.service.calls.length;
    for (const [more, pointer] of [
      [{ symbol: 'mesh' }, '/symbol'],
      [{ symbol: 'M' }, '/symbol'],
      [{ symbol: 'MESHMESHM' }, '/symbol'],
      [{ name: '' }, '/name'],
      [{ name: 'x'.repeat(33) }, '/name'],
      [{ description: '' }, '/description'],
      [{ image_url: 'http://images.example.com/x.png' }, '/image_url'],
      [{ initial_buy_lamports: -1 }, '/initial_buy_lamports'],
      [{ initial_buy_lamport: 5 }, '/initial_buy_lamport'],
    ] as const) {
      const { status, body } = await launch(more);
      assert.deepEqual([status, body.fields?.[0]?.pointer], [400, pointer], JSON.stringify(body));
    }
    assert.equal(at.service.calls.length, before);
  });

  it('answers insufficient_funds before it asks anybody', async () => {
    const before = at.service.calls.length;
    const { status, body } = await launch({ symbol: 'POOR', initial_buy_lamports: 100_000_000_000 });
    assert.deepEqual([status, body.code], [402, 'insufficient_funds'], JSON.stringify(body));
    assert.equal(at.service.calls.length, before);
  });

  it('keeps the caps on SOL', async () => {
    const { status, body } = await launch({ symbol: 'CAPS', initial_buy_lamports: 1_500_000_000 });
    assert.deepEqual([status, body.code, body.cap], [403, 'spending_cap', 'ledger.maxSolPerTransaction']);
  });

  it('launches another token for the same words a day later, and says nothing of the first', async () => {
    const first = (await launch({ symbol: 'DAYS' })).body;
    at.mesh.advance(25 * 3_600);
    const { status, body } = await launch({ symbol: 'DAYS' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.token_mint, first.token_mint);
    assert.notEqual(body.txid, first.txid);
    assert.ok(await isLaunched(body.token_mint));
  });
});
