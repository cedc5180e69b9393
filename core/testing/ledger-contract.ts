import assert from 'node:assert/strict';
import { isMeshError } from '../contracts/errors.ts';
import type { Ledger, PreparedTransaction, Signer, UsdcTransfer } from '../ledger/ledger.ts';
import type { TestRunner } from './runner.ts';

export interface LedgerBench {
  readonly ledger: Ledger;
  /** A new wallet that holds this much. */
  wallet(lamports: bigint, usdc: bigint): Promise<Signer>;
  /** Lets so many blocks pass. */
  skipBlocks(count: number): Promise<void>;
  close(): Promise<void>;
}

const SOL = 1_000_000_000n;

/** The contract of every ledger adapter. `setup` opens one on a cluster with a faucet. */
export function ledgerContract(
  name: string,
  setup: () => Promise<LedgerBench>,
  runner: Pick<TestRunner, 'describe' | 'it' | 'before' | 'after'>,
): void {
  const { describe, it, before, after } = runner;

  describe(`${name} keeps the contract of a ledger:`, () => {
    let bench: LedgerBench;
    let ledger: Ledger;
    before(async () => {
      bench = await setup();
      ledger = bench.ledger;
    });
    after(() => bench.close());

    async function pay(from: Signer, transfer: UsdcTransfer): Promise<PreparedTransaction> {
      const prepared = await ledger.prepareUsdcTransfer(transfer, from);
      assert.equal((await ledger.submit(prepared)).status, 'confirmed');
      return prepared;
    }

    it('it names its cluster', () => {
      assert.match(ledger.cluster.genesisHash, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
      assert.ok(ledger.cluster.name);
      assert.ok(ledger.cluster.usdcMint);
    });

    it('the slot comes from memory and does not go back', async () => {
      for (let wait = 0; ledger.slot() === 0 && wait < 100; wait++) await new Promise((done) => setTimeout(done, 20));
      const slots = Array.from({ length: 100 }, () => ledger.slot());
      assert.ok(slots[0]! > 0);
      assert.deepEqual(
        [...slots].sort((a, b) => a - b),
        slots,
      );
    });

    it('an unknown wallet holds nothing', async () => {
      const { address } = await bench.wallet(0n, 0n);
      assert.equal(await ledger.usdc(address), 0n);
      assert.deepEqual(await ledger.balances(address), { lamports: 0n, tokens: [] });
      assert.deepEqual((await ledger.incomingUsdc(address, undefined, 10)).transfers, []);
    });

    it('balances show SOL and tokens', async () => {
      const { address } = await bench.wallet(SOL, 2_500_000n);
      const mint = ledger.cluster.usdcMint;
      assert.deepEqual(await ledger.balances(address), {
        lamports: SOL,
        tokens: [{ mint, amount: 2_500_000n, decimals: 6 }],
      });
      assert.equal(await ledger.usdc(address), 2_500_000n);
    });

    it('accounts are read as they are, and a missing one is null', async () => {
      const { address } = await bench.wallet(SOL, 0n);
      const { address: nobody } = await bench.wallet(0n, 0n);
      const [wallet, none, mint] = await ledger.accounts.latest([address, nobody, ledger.cluster.usdcMint]);
      assert.deepEqual([wallet?.lamports, wallet?.data.length, none], [SOL, 0, null]);
      assert.equal(mint?.data[44], 6);
      assert.deepEqual(await ledger.accounts.latest([]), []);
      await assert.rejects(ledger.accounts.latest(['no address']), { code: 'invalid_request' });
    });

    it('a transfer moves exactly its amount, into an account it makes', async () => {
      const from = await bench.wallet(SOL, 10_000_000n);
      const to = await bench.wallet(0n, 0n);
      const prepared = await ledger.prepareUsdcTransfer({ to: to.address, amount: 1_500_000n, memo: 'deal 1' }, from);
      assert.equal(await ledger.usdc(from.address), 10_000_000n);
      assert.deepEqual(await ledger.outcome(prepared), { status: 'pending' });
      const outcome = await ledger.submit(prepared, undefined, 'finalised');
      assert.ok(outcome.status === 'confirmed' && outcome.finalised);
      assert.deepEqual(await ledger.outcome(prepared), outcome);
      assert.deepEqual([await ledger.usdc(from.address), await ledger.usdc(to.address)], [8_500_000n, 1_500_000n]);
    });

    it('submitting again, also at the same time, moves the money once', async () => {
      const from = await bench.wallet(SOL, 10n);
      const to = await bench.wallet(0n, 0n);
      const prepared = await ledger.prepareUsdcTransfer({ to: to.address, amount: 3n, memo: '' }, from);
      const outcomes = await Promise.all([ledger.submit(prepared), ledger.submit(prepared)]);
      outcomes.push(await ledger.submit(prepared));
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['confirmed']));
      assert.equal(await ledger.usdc(to.address), 3n);
    });

    it('too little of either currency is told before anything is signed', async () => {
      const to = await bench.wallet(0n, 0n);
      const transfer = { to: to.address, amount: 5n, memo: '' };
      const cases: [lamports: bigint, usdc: bigint, asset: string, missing: string][] = [
        [SOL, 4n, 'USDC', '0.000001'],
        [SOL, 0n, 'USDC', '0.000005'],
        [5_000n + 2_039_280n + 890_880n - 1n, 5n, 'SOL', '0.000000001'],
        [0n, 5n, 'SOL', '0.00293516'],
      ];
      for (const [lamports, usdc, asset, missing] of cases) {
        const wallet = await bench.wallet(lamports, usdc);
        const never: Signer = { address: wallet.address, sign: () => assert.fail('it was asked to sign') };
        await assert.rejects(ledger.prepareUsdcTransfer(transfer, never), (error) => {
          assert.ok(isMeshError(error));
          assert.equal(error.code, 'insufficient_funds');
          assert.deepEqual([error.details.extra?.['asset'], error.details.extra?.['missing']], [asset, missing]);
          return true;
        });
      }
      const enough = await bench.wallet(5_000n + 2_039_280n + 890_880n, 5n);
      await pay(enough, transfer);
    });

    it('nonsense is refused', async () => {
      const from = await bench.wallet(SOL, 10n);
      const to = from.address;
      const refused = { name: 'MeshError', code: 'invalid_request' };
      const transfers: UsdcTransfer[] = [
        { to, amount: 0n, memo: '' },
        { to, amount: -1n, memo: '' },
        { to, amount: 2n ** 63n, memo: '' },
        { to, amount: 1n, memo: 'é'.repeat(101) },
        { to, amount: 1n, memo: '\ud800' },
        { to: 'nobody', amount: 1n, memo: '' },
      ];
      for (const transfer of transfers) await assert.rejects(ledger.prepareUsdcTransfer(transfer, from), refused);
      await assert.rejects(ledger.usdc('nobody'), refused);
      await assert.rejects(ledger.balances(''), refused);
      await assert.rejects(ledger.incomingUsdc(to, 'cursor', 10), refused);
      for (const limit of [0, -1, 1.5, 1001]) await assert.rejects(ledger.incomingUsdc(to, undefined, limit), refused);
    });

    it('a signer that does not sign is caught', async () => {
      const from = await bench.wallet(SOL, 10n);
      const wrong: Signer = { address: from.address, sign: () => new Uint8Array(64) };
      await assert.rejects(ledger.prepareUsdcTransfer({ to: from.address, amount: 1n, memo: '' }, wrong));
    });

    it('a transaction the cluster refuses fails, with the structured error', async () => {
      const from = await bench.wallet(SOL, 10n);
      const to = await bench.wallet(0n, 0n);
      const [first, second] = [
        await ledger.prepareUsdcTransfer({ to: to.address, amount: 8n, memo: 'first' }, from),
        await ledger.prepareUsdcTransfer({ to: to.address, amount: 8n, memo: 'second' }, from),
      ];
      assert.equal((await ledger.submit(first)).status, 'confirmed');
      const failed = await ledger.submit(second);
      assert.deepEqual(failed, {
        status: 'failed',
        code: 'InstructionError',
        detail: '{"InstructionError":[1,{"Custom":1}]}',
      });
      assert.equal(await ledger.usdc(to.address), 8n);
    });

    it('a transaction that was not sent in time expires, and never moves money', async () => {
      const from = await bench.wallet(SOL, 10n);
      const to = await bench.wallet(0n, 0n);
      const prepared = await ledger.prepareUsdcTransfer({ to: to.address, amount: 1n, memo: '' }, from);
      await bench.skipBlocks(200);
      assert.equal((await ledger.outcome(prepared)).status, 'expired');
      assert.equal((await ledger.submit(prepared)).status, 'expired');
      assert.equal(await ledger.usdc(to.address), 0n);
    });

    it('waiting for a transaction can be given up', async () => {
      const from = await bench.wallet(SOL, 10n);
      const prepared = await ledger.prepareUsdcTransfer({ to: from.address, amount: 1n, memo: '' }, from);
      const aborted = AbortSignal.abort(new Error('enough'));
      await assert.rejects(ledger.submit(prepared, aborted), { message: 'enough' });
    });

    it('transfers that were sent are found by their memo, newest first', async () => {
      const [from, to] = [await bench.wallet(SOL, 100n), await bench.wallet(SOL, 0n)];
      const first = await pay(from, { to: to.address, amount: 3n, memo: 'deal 7' });
      await pay(from, { to: to.address, amount: 3n, memo: 'deal 77' });
      // A stranger's transfer with the same memo into the account is none that was sent from it.
      await pay(to, { to: from.address, amount: 1n, memo: 'deal 7' });
      const second = await pay(from, { to: to.address, amount: 4n, memo: 'deal 7' });
      const { transfers, complete } = await ledger.sentUsdc(from.address, { memo: 'deal 7', since: 0, atLeast: 0 });
      assert.deepEqual(
        transfers.map(({ signature, to: receiver, amount }) => ({ signature, receiver, amount })),
        [
          { signature: second.signature, receiver: to.address, amount: 4n },
          { signature: first.signature, receiver: to.address, amount: 3n },
        ],
      );
      assert.ok(complete);
      const later = Math.floor(Date.now() / 1_000) + 3_600;
      const none = await ledger.sentUsdc(from.address, { memo: 'deal 7', since: later, atLeast: 0 });
      assert.deepEqual(none, { transfers: [], complete: true });
    });

    it('incoming transfers are listed oldest first, behind a cursor, with sender and memo', async () => {
      const [from, to] = [await bench.wallet(SOL, 100n), await bench.wallet(SOL, 0n)];
      const sent: PreparedTransaction[] = [];
      for (let amount = 1n; amount <= 5n; amount++) {
        sent.push(await pay(from, { to: to.address, amount, memo: `bill ${amount}` }));
      }
      // A payment that leaves the account again is no income.
      await pay(to, { to: from.address, amount: 2n, memo: 'back' });
      const { transfers: all, ...end } = await ledger.incomingUsdc(to.address, undefined, 10);
      assert.deepEqual(
        all.map(({ signature, from: sender, amount, memo }) => ({ signature, sender, amount, memo })),
        sent.map(({ signature }, index) => ({
          signature,
          sender: from.address,
          amount: BigInt(index + 1),
          memo: `bill ${index + 1}`,
        })),
      );
      assert.ok(all.every(({ slot }) => slot > 0));
      const { transfers: first, more } = await ledger.incomingUsdc(to.address, undefined, 2);
      assert.deepEqual([first, more], [all.slice(0, 2), true]);
      assert.deepEqual((await ledger.incomingUsdc(to.address, first[1]!.signature, 2)).transfers, all.slice(2, 4));
      // The cursor stands behind all that was read, transfers or not.
      assert.notEqual(end.cursor, all[4]!.signature);
      for (const cursor of [all[4]!.signature, end.cursor, end.cursor])
        assert.deepEqual(await ledger.incomingUsdc(to.address, cursor, 2), { ...end, transfers: [] });
      const later = await pay(from, { to: to.address, amount: 9n, memo: '' });
      const { transfers: latest } = await ledger.incomingUsdc(to.address, end.cursor, 2);
      const [newest, ...rest] = latest;
      assert.deepEqual([newest?.signature, newest?.amount, rest.length], [later.signature, 9n, 0]);
    });

    it('an income is seen though the balance is what it was, because as much was paid out', async () => {
      const [from, to] = [await bench.wallet(SOL, 100n), await bench.wallet(SOL, 0n)];
      await pay(from, { to: to.address, amount: 7n, memo: 'first' });
      const { cursor } = await ledger.incomingUsdc(to.address, undefined, 10);
      await ledger.incomingUsdc(to.address, cursor, 10);
      await pay(to, { to: from.address, amount: 7n, memo: 'out' });
      await pay(from, { to: to.address, amount: 7n, memo: 'second' });
      const { transfers } = await ledger.incomingUsdc(to.address, cursor, 10);
      assert.deepEqual(
        transfers.map(({ amount, memo }) => ({ amount, memo })),
        [{ amount: 7n, memo: 'second' }],
      );
    });
  });
}
