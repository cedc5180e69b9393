import assert from 'node:assert/strict';
import { Ledger } from '../../../core/internal-services.ts';
import { happens } from '../../support/happens.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { newWallet } from '../../support/wallet.ts';
import { ask, Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const SOL = 1_000_000_000n;

for (const use of STORES)
  describe(`the wallet of a hosted agent, on ${use}`, function () {
    this.timeout(90_000);
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn'>;
    let inn: Member;
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      mesh = await startMesh({
        nodes: ['inn'],
        usdc: { inn: '50' },
        own: {
          inn: {
            plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
            api: { unlimited: ['127.0.0.1'] },
            storage: redis ? { use, url: redis.url, prefix: 'inn' } : { use },
          },
        },
      });
      ({ inn } = mesh.nodes);
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    const ledger = () => inn.node.get(Ledger);
    const usdc = (address: string) => ledger().usdc(address);
    const lamports = async (address: string) => (await ledger().balances(address)).lamports;
    async function rich(name: string, { sol = SOL / 10n, micro = 5_000_000n } = {}): Promise<Guest> {
      const guest = await Guest.register(() => inn, { name });
      if (sol > 0n) await mesh.localnet.faucet.sol(guest.id, sol);
      await mesh.localnet.faucet.usdc(guest.id, micro);
      await happens('its USDC is there', async () => (await usdc(guest.id)) === micro || undefined);
      return guest;
    }

    it('holds what is paid to its key, and sends it to a wallet that never held USDC; its own SOL pays', async () => {
      const [ann, { address }] = [await rich('ann'), newWallet()];
      const { tokens, address: own } = await ann.does('GET /hosted/portfolio/balances');
      assert.equal(own, ann.id);
      assert.deepEqual(
        tokens.map(({ symbol, amount_base }: any) => [symbol, amount_base]),
        [
          ['SOL', `${SOL / 10n}`],
          ['USDC', '5000000'],
        ],
      );
      const [hostSol, hostUsdc] = [await lamports(inn.id), await usdc(inn.id)];
      const wish = { destination: address, amount_usdc: '1.5' };
      const done = await ann.does('POST /hosted/wallet/sweep', wish, { 'idempotency-key': 'home' });
      assert.deepEqual([done.amount_usdc, done.amount_usdc_micro, done.destination], [1.5, 1_500_000, address]);
      assert.deepEqual(await ann.does('POST /hosted/wallet/sweep', wish, { 'idempotency-key': 'home' }), done);
      assert.deepEqual([await usdc(address), await usdc(ann.id)], [1_500_000n, 3_500_000n]);
      assert.ok((await lamports(ann.id)) < SOL / 10n);
      assert.deepEqual([await lamports(inn.id), await usdc(inn.id)], [hostSol, hostUsdc]);
      const [entry] = await happens('its entry', async () => {
        const { events } = await ann.does('GET /hosted/portfolio/history');
        return events.length > 0 ? events : undefined;
      });
      assert.deepEqual(
        [entry.action, entry.amount_usdc, entry.signature, entry.counterparty],
        ['sweep', '1.5', done.signature, address],
      );
      assert.deepEqual((await inn.get('/portfolio/history')).body.events, [], 'it is none of the host’s own');
      const all = await ann.does('POST /hosted/wallet/sweep', { destination: address });
      assert.equal(all.amount_usdc_micro, 3_500_000);
    });

    it('says what is missing, of USDC or of SOL, and which member is wrong', async () => {
      const [poor, { address: destination }] = [await rich('poor', { sol: 0n }), newWallet()];
      const without = await poor.call('POST /hosted/wallet/sweep', { destination });
      assert.deepEqual([without.status, without.body.code, without.body.asset], [402, 'insufficient_funds', 'SOL']);
      const more = await poor.call('POST /hosted/wallet/sweep', { destination, amount_usdc: '6' });
      assert.deepEqual([more.status, more.body.asset, more.body.missing], [402, 'USDC', '1']);
      for (const [body, field] of [
        [{ destination: 'nonsense' }, '/destination'],
        [{ destination: poor.id }, '/destination'],
        [{ destination, amount_usdc: '0' }, '/amount_usdc'],
        [{ destination, amount_usdc: '1', amount: 1 }, '/amount'],
      ] as const)
        assert.equal(await poor.refused('POST /hosted/wallet/sweep', body), `400 invalid_request ${field}`);
      assert.equal(await usdc(poor.id), 5_000_000n);
      const nobody = new Guest(() => inn, poor.id, '0'.repeat(64));
      for (const line of ['POST /hosted/wallet/sweep', 'GET /hosted/portfolio/balances'])
        assert.equal(
          await nobody.refused(line, line.startsWith('POST') ? { destination } : undefined),
          '401 unauthorized',
        );
    });

    it('is not destroyed with its USDC unless that is given up, by its client or the operator', async () => {
      const ben = await rich('ben', { micro: 1n });
      assert.equal(await ben.refused('DELETE /hosted/session'), '409 conflict');
      const removed = `DELETE /hosted/agents/${ben.id}`;
      assert.equal((await ask(inn.url, removed, inn.secret)).status, 409);
      assert.equal((await ask(inn.url, `${removed}?abandon_usdc=true`, inn.secret)).status, 200);
      const dan = await rich('dan');
      await dan.does('DELETE /hosted/session?abandon_usdc=true');
      assert.equal(await dan.refused('GET /hosted/session'), '401 unauthorized');
    });

    it('asks the ledger so often that strangers cannot wear out the RPC of the host', async () => {
      const crowd = await Promise.all(Array.from({ length: 12 }, () => Guest.register(() => inn)));
      const began = performance.now();
      const calls = crowd.flatMap((one) =>
        Array.from({ length: 20 }, () => one.call('GET /hosted/portfolio/balances')),
      );
      const answers = (await Promise.all(calls)).map(({ status }) => status);
      const seconds = (performance.now() - began) / 1_000;
      const told = answers.filter((status) => status === 200).length;
      // As many at once, and two a second from then on.
      assert.ok(told <= 121 + 2 * seconds, `${told} in ${seconds} seconds`);
      assert.equal(answers.filter((status) => status === 429).length, answers.length - told);
      assert.equal((await inn.get('/portfolio/balances')).status, 200);
    });
  });

describe('a hosted agent whose client has gone', function () {
  this.timeout(90_000);

  it('is kept as long as its key holds USDC, and goes afterwards', async () => {
    const clock = new JumpingClock();
    const plugins = { hosting: { hostAgents: true } };
    const mesh = await startMesh({
      nodes: ['inn'],
      storage: 'lowdb',
      usdc: { inn: '1' },
      clock,
      own: { inn: { plugins } },
    });
    try {
      const { inn } = mesh.nodes;
      const [rich, poor] = [await Guest.register(() => inn), await Guest.register(() => inn)];
      await mesh.localnet.faucet.usdc(rich.id, 1n);
      await happens('it is there', async () => (await inn.node.get(Ledger).usdc(rich.id)) === 1n || undefined);
      clock.advance(8 * 86_400_000);
      await inn.restart();
      const listed = async () =>
        (await ask(inn.url, 'GET /hosted/agents', inn.secret)).body.agents.map((one: any) => one.agent_id);
      await happens('the other one has gone', async () => {
        return (await listed()).includes(poor.id) ? undefined : true;
      });
      assert.deepEqual(await listed(), [rich.id]);
    } finally {
      await mesh.stop();
    }
  });
});
