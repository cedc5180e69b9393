import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { findRedis } from '../../support/redis-server.ts';
import { newWallet } from '../../support/wallet.ts';
import { mintHash } from '../../upstreams/transfer/attestation-service.ts';
import { BillingBench, EVM, USDC } from './support.ts';

const STORES = findRedis() ? (['lowdb', 'redis'] as const) : (['lowdb'] as const);

for (const use of STORES)
  describe(`billing, on ${use}`, function () {
    this.timeout(60_000);
    let bench: BillingBench;
    before(async () => {
      bench = await BillingBench.start(use);
    });
    after(async () => {
      assert.deepEqual(bench.aggregator.errors, []);
      assert.deepEqual(bench.service.complaints, []);
      await bench.stop();
    });
    beforeEach(() => {
      bench.service.progress = 'minted';
    });

    it('credits what comes to the deposit address, once it is final, and empties the address into the wallet', async () => {
      const agent = await bench.agent();
      const address = await bench.address(agent);
      assert.equal(await bench.address(agent), address, 'it never changes');
      const held = await bench.held(bench.wallet);
      await bench.localnet.faucet.usdc(address, 10n * USDC);
      await bench.localnet.faucet.usdc(address, 1n);
      await happens('it is credited', async () => (await bench.balance(agent)) === 10n * USDC + 1n || undefined);
      await happens('it is swept', async () => {
        bench.aggregator.clock.shift(1_000);
        return (await bench.held(bench.wallet)) === held + 10n * USDC + 1n || undefined;
      });
      assert.equal(await bench.balance(agent), 10n * USDC + 1n);
      const { body } = await bench.aggregator.call('GET /billing/history', { as: agent });
      assert.deepEqual(
        body.entries.map(({ kind, direction, amount_usdc }: any) => [kind, direction, amount_usdc]),
        [
          ['deposit', 'in', '0.000001'],
          ['deposit', 'in', '10'],
        ],
      );
    });

    it('pays on Solana what is withdrawn there, without a fee', async () => {
      const agent = await bench.funded(20n * USDC);
      const wallet = newWallet().address;
      const to = { destination_chain: 'solana', destination_address: wallet };
      const poor = await bench.withdraw(agent, to);
      assert.deepEqual([poor.status, poor.body.fields[0].pointer], [400, '/destination_address']);
      await bench.localnet.faucet.usdc(wallet, 1n);
      const { status, body } = await bench.withdraw(agent, to);
      assert.equal(status, 202, JSON.stringify(body));
      assert.deepEqual([body.amount_usdc, body.platform_fee_usdc, body.status], ['5', '0', 'reserved']);
      const done = await bench.reaches(agent, body.withdrawal_id, 'done');
      assert.equal(await bench.held(wallet), 5n * USDC + 1n);
      assert.equal(done.received_usdc, '5');
      assert.equal(await bench.balance(agent), 15n * USDC);
      assert.equal((await bench.account(agent)).reserved_usdc, '0');
    });

    it('burns here, waits for the attestation, and has it minted on another chain', async () => {
      const agent = await bench.funded(20n * USDC);
      bench.service.progress = 'unseen';
      const { status, body } = await bench.withdraw(agent);
      assert.equal(status, 202, JSON.stringify(body));
      assert.deepEqual([body.amount_usdc, body.platform_fee_usdc], ['5', '0.05']);
      const burnt = await bench.reaches(agent, body.withdrawal_id, 'burnt');
      assert.equal(burnt.speed, 'fast');
      bench.service.progress = 'pending';
      bench.service.delay = 'insufficient_allowance_available';
      await happens('the delay shows', async () => {
        bench.aggregator.clock.shift(5_000);
        return (await bench.withdrawal(agent, body.withdrawal_id)).problem === bench.service.delay || undefined;
      });
      bench.service.delay = null;
      bench.service.progress = 'forwarding';
      const minting = await bench.reaches(agent, body.withdrawal_id, 'minting');
      assert.match(minting.message, /^0x00000001/);
      bench.service.progress = 'minted';
      const done = await bench.reaches(agent, body.withdrawal_id, 'done');
      // 4.95 less 1.3 bps of it, rounded up, and the forwarding.
      assert.equal(done.received_usdc, '4.799356');
      assert.equal(done.mint_tx, mintHash(done.signature));
      assert.deepEqual(
        { ...bench.service.mints.get(done.signature), message: undefined },
        { domain: 6, recipient: EVM, amount: 4_799_356n, message: undefined },
      );
      assert.equal(await bench.balance(agent), 15n * USDC);
      assert.equal((await bench.account(agent)).reserved_usdc, '0');
    });

    it('burns for a transfer at standard speed where fast is not offered', async () => {
      const agent = await bench.funded(20n * USDC);
      const { fees } = bench.service;
      try {
        bench.service.fees = fees.filter(({ finalityThreshold }) => finalityThreshold === 2_000);
        const { body } = await bench.withdraw(agent);
        const done = await bench.reaches(agent, body.withdrawal_id, 'done');
        // 4.95 less the forwarding alone.
        assert.deepEqual([done.speed, done.received_usdc], ['standard', '4.8']);
      } finally {
        bench.service.fees = fees;
      }
    });
  });
