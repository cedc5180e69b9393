import assert from 'node:assert/strict';
import { Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { USDC_MINT } from '../../adapters/localnet/addresses.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';
import { rpc } from './cluster.ts';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const WHOLE = { searchTransactionHistory: true };

describe('faults of the localnet’s RPC', () => {
  let net: Localnet;
  let payer: Keypair;
  before(async () => {
    // Slots move by warp alone, so that every age is exact.
    const faults = { views: [{}, {}] };
    net = await startLocalnet({ log: silentLog, admin: true, slotMs: 0, faults });
    payer = Keypair.generate();
    await net.faucet.sol(payer.publicKey.toBase58(), 50_000_000_000n);
    net.warp({ slots: 50, blocks: 50 });
  });
  after(() => net.stop());
  afterEach(() => net.play({ views: [{}, {}] }));

  const other = () => net.views[1]!;
  async function result(method: string, params: unknown[] = [], url = net.url): Promise<any> {
    const answer = await rpc(url, method, params);
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result;
  }

  async function signed(...instructions: (TransactionInstruction | Transaction)[]): Promise<Transaction> {
    const { blockhash } = (await result('getLatestBlockhash', [{ commitment: 'processed' }])).value;
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
    transaction.add(...instructions).sign(payer);
    return transaction;
  }

  function gift(to: string, lamports = 1_000_000): Promise<Transaction> {
    const toPubkey = new PublicKey(to);
    return signed(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports }));
  }

  async function send(transaction: Transaction, url = net.url): Promise<any> {
    return rpc(url, 'sendTransaction', [transaction.serialize().toString('base64'), { encoding: 'base64' }]);
  }

  async function given(to: string, lamports?: number): Promise<string> {
    return (await send(await gift(to, lamports), other().url)).result;
  }

  const stranger = () => Keypair.generate().publicKey.toBase58();

  describe('behind by some slots', () => {
    it('answer with what accounts were, in every method, and name the slot of it', async () => {
      const to = stranger();
      const owner = stranger();
      await given(to, 1_000_000);
      await net.faucet.usdc(owner, 5n);
      const [{ pubkey: holding }] = (await result('getTokenAccountsByOwner', [owner, { mint: USDC_MINT }])).value;
      net.warp({ slots: 10, blocks: 10 });
      await given(to, 2_000_000);
      await net.faucet.usdc(owner, 7n);
      const slot = await result('getSlot');
      net.faults.set({ lag: 4 });
      const past = slot - 4;
      const supply = BigInt((await result('getTokenSupply', [USDC_MINT], other().url)).value.amount);
      const base64 = { encoding: 'base64' };
      const cases: [method: string, params: unknown[], of: (value: any) => unknown, then: unknown, now: unknown][] = [
        ['getBalance', [to], (value) => value, 1_000_000, 3_000_000],
        ['getAccountInfo', [to, base64], (value) => value.lamports, 1_000_000, 3_000_000],
        ['getMultipleAccounts', [[to], base64], ([value]) => value.lamports, 1_000_000, 3_000_000],
        ['getTokenAccountBalance', [holding], (value) => value.amount, '5', '12'],
        ['getTokenSupply', [USDC_MINT], (value) => value.amount, String(supply - 7n), String(supply)],
        [
          'getTokenAccountsByOwner',
          [owner, { mint: USDC_MINT }, { encoding: 'jsonParsed' }],
          ([value]) => value.account.data.parsed.info.tokenAmount.amount,
          '5',
          '12',
        ],
      ];
      for (const [method, params, of, then, now] of cases) {
        const stale = await result(method, params);
        assert.deepEqual([stale.context.slot, of(stale.value)], [past, then], method);
        const fresh = await result(method, params, other().url);
        assert.deepEqual([fresh.context.slot, of(fresh.value)], [slot, now], method);
      }
      assert.equal(await result('getSlot'), past);
      assert.equal(await result('getBlockHeight'), (await result('getBlockHeight', [], other().url)) - 4);
    });

    it('answer with accounts that were not there yet, or are gone since', async () => {
      const to = stranger();
      const program = stranger();
      const address = stranger();
      const account = { lamports: 2_000_000, data: Buffer.from('first').toString('base64'), owner: program };
      await result('localnet_setAccount', [address, account]);
      net.warp({ slots: 10, blocks: 10 });
      await given(to);
      await result('localnet_setAccount', [address, { ...account, lamports: 0, data: '' }]);
      const filters = { encoding: 'base64', withContext: true };
      assert.deepEqual((await result('getProgramAccounts', [program, filters])).value, []);
      net.faults.set({ lag: 3 });
      assert.equal((await result('getAccountInfo', [to])).value, null);
      const [found] = (await result('getProgramAccounts', [program, filters])).value;
      assert.equal(found.pubkey, address);
      assert.equal(found.account.data[0], account.data);
    });

    it('tell the clock of then, also within a jump of time', async () => {
      const clockOf = async (url: string) => {
        const [data] = (await result('getAccountInfo', [CLOCK, { encoding: 'base64' }], url)).value.data;
        const bytes = Buffer.from(data, 'base64');
        return [Number(bytes.readBigUInt64LE(0)), Number(bytes.readBigInt64LE(32))];
      };
      const [slot, unix] = (await clockOf(net.url)) as [number, number];
      net.warp({ slots: 100, blocks: 100, seconds: 50 });
      net.faults.set({ lag: 40 });
      assert.deepEqual(await clockOf(net.url), [slot + 60, unix + 30]);
      assert.deepEqual(await clockOf(other().url), [slot + 100, unix + 50]);
      assert.equal(await result('getBlockTime', [slot + 60]), unix + 30);
    });

    it('lack the transactions since, in statuses, lists and bodies', async () => {
      const to = stranger();
      const first = await given(to);
      net.warp({ slots: 10, blocks: 10 });
      const second = await given(to, 2_000_000);
      net.faults.set({ lag: { '*': 0, getSignatureStatuses: 4, getSignaturesForAddress: 5, getTransaction: 6 } });
      const slot = await result('getSlot');
      const statuses = await result('getSignatureStatuses', [[first, second], WHOLE]);
      assert.deepEqual([statuses.context.slot, statuses.value[0].err, statuses.value[1]], [slot - 4, null, null]);
      const listed = await result('getSignaturesForAddress', [to]);
      assert.deepEqual(
        listed.map(({ signature }: any) => signature),
        [first],
      );
      const version = { maxSupportedTransactionVersion: 1 };
      assert.equal(await result('getTransaction', [second, version]), null);
      assert.equal((await result('getTransaction', [first, version])).slot, slot - 10);
    });

    it('refuse a minimum slot that they have not reached, as real nodes do', async () => {
      net.faults.set({ lag: 5 });
      const slot = await result('getSlot', [], other().url);
      const key = payer.publicKey.toBase58();
      const minContextSlot = slot - 4;
      const asked: [method: string, params: unknown[]][] = [
        ['getAccountInfo', [key, { minContextSlot }]],
        ['getMultipleAccounts', [[key], { minContextSlot }]],
        ['getProgramAccounts', [key, { minContextSlot }]],
        ['getBalance', [key, { minContextSlot }]],
        ['getSlot', [{ minContextSlot }]],
        ['getBlockHeight', [{ minContextSlot }]],
        ['getEpochInfo', [{ minContextSlot }]],
        ['getTransactionCount', [{ minContextSlot }]],
        ['getLatestBlockhash', [{ minContextSlot }]],
        ['isBlockhashValid', [key, { minContextSlot }]],
        ['getSignaturesForAddress', [key, { minContextSlot }]],
        ['getTokenAccountsByOwner', [key, { mint: USDC_MINT }, { minContextSlot }]],
      ];
      for (const [method, params] of asked) {
        const { error } = await rpc(net.url, method, params);
        assert.deepEqual([error?.code, error?.data], [-32016, { contextSlot: slot - 5 }], method);
        assert.equal((await rpc(other().url, method, params)).error, undefined, method);
      }
      assert.equal((await rpc(net.url, 'getAccountInfo', [key, { minContextSlot: 'x' }])).error.code, -32602);
    });

    it('do not know a blockhash from after their slot, and say so before they send', async () => {
      net.warp({ slots: 10, blocks: 10 });
      const transaction = await gift(stranger());
      net.faults.set({ lag: { sendTransaction: 3 } });
      assert.equal((await send(transaction)).error.data.err, 'BlockhashNotFound');
      assert.equal((await send(transaction, other().url)).error, undefined);
    });
  });

  it('show what landed as confirmed, and as finalized only later', async () => {
    const final = await result('getSlot');
    net.faults.set({ finality: 12 });
    net.warp({ slots: 1, blocks: 1 });
    assert.equal(await result('getSlot'), final, 'what was final stays final');
    net.warp({ slots: 12, blocks: 12 });
    const to = stranger();
    const signature = await given(to);
    const slot = await result('getSlot', [], other().url);
    const confirmed = { commitment: 'confirmed' };
    assert.equal((await result('getBalance', [to])).value, 0);
    assert.equal((await result('getBalance', [to, confirmed])).value, 1_000_000);
    assert.deepEqual([await result('getSlot'), await result('getSlot', [confirmed])], [slot - 12, slot]);
    const status = async () => (await result('getSignatureStatuses', [[signature]])).value[0];
    assert.equal((await status()).confirmationStatus, 'confirmed');
    assert.equal(await result('getTransaction', [signature]), null);
    assert.equal((await result('getTransaction', [signature, confirmed])).slot, slot);
    assert.equal((await result('getSignaturesForAddress', [to, confirmed]))[0].confirmationStatus, 'confirmed');
    net.warp({ slots: 12, blocks: 12 });
    const { confirmationStatus, confirmations } = await status();
    assert.deepEqual([confirmationStatus, confirmations], ['finalized', null]);
    assert.equal((await result('getBalance', [to])).value, 1_000_000);
  });

  it('show statuses, lists and bodies late, though the answers name the newest slot', async () => {
    net.faults.set({ late: { getSignatureStatuses: 3, getTransaction: 6 } });
    const to = stranger();
    const signature = await given(to);
    const statuses = await result('getSignatureStatuses', [[signature], WHOLE]);
    assert.deepEqual([statuses.context.slot, statuses.value], [await result('getSlot'), [null]]);
    assert.equal((await result('getSignaturesForAddress', [to])).length, 1);
    net.warp({ slots: 3, blocks: 3 });
    assert.equal((await result('getSignatureStatuses', [[signature], WHOLE])).value[0].err, null);
    assert.equal(await result('getTransaction', [signature]), null);
    net.warp({ slots: 3, blocks: 3 });
    assert.notEqual(await result('getTransaction', [signature]), null);
  });

  it('forget transactions that are older than the history reaches', async () => {
    const to = stranger();
    const old = await given(to);
    net.warp({ slots: 100, blocks: 100 });
    const young = await given(to, 2_000_000);
    net.faults.set({ keepSlots: 40 });
    const slot = await result('getSlot');
    assert.equal(await result('getFirstAvailableBlock'), slot - 40);
    const statuses = await result('getSignatureStatuses', [[old, young], WHOLE]);
    assert.deepEqual(
      statuses.value.map((one: any) => one?.slot ?? null),
      [null, slot],
    );
    assert.equal(await result('getTransaction', [old]), null);
    assert.deepEqual(
      (await result('getSignaturesForAddress', [to])).map(({ signature }: any) => signature),
      [young],
    );
    assert.equal((await rpc(net.url, 'getBlockTime', [slot - 50])).error.code, -32001);
    assert.equal((await result('getSignaturesForAddress', [to], other().url)).length, 2);
    net.faults.set({ statusSlots: 40 });
    assert.deepEqual((await result('getSignatureStatuses', [[old]])).value, [null]);
    assert.equal((await result('getSignatureStatuses', [[old], WHOLE])).value[0].err, null);
  });

  it('cut logs at 10,000 bytes, and earlier where told', async () => {
    const text = 'x'.repeat(300);
    const memo = () => new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from(text) });
    const short = await send(await signed(memo()));
    const logsOf = async (signature: string, url = net.url) =>
      (await result('getTransaction', [signature], url)).meta.logMessages as string[];
    const whole = await logsOf(short.result);
    assert.ok(!whole.includes('Log truncated') && whole.some((line) => line.includes(text)));
    net.faults.change({ logBytes: 200 });
    const cut = await logsOf(short.result);
    assert.equal(cut.filter((line) => line === 'Log truncated').length, 1);
    assert.ok(!cut.some((line) => line.includes(text)));
    assert.deepEqual(await logsOf(short.result, other().url), whole);
    const encoded = (await signed(memo())).serialize().toString('base64');
    const rehearsed = await result('simulateTransaction', [encoded, { encoding: 'base64' }]);
    assert.ok(rehearsed.value.logs.includes('Log truncated'));

    net.faults.clear();
    const many = Array.from({ length: 60 }, () => ({ programId: MEMO, keys: [], data: Buffer.from('') }));
    const long = await send(await signed(...many.map((one) => new TransactionInstruction(one))));
    const logs = await logsOf(long.result);
    const bytes = logs.reduce((sum, line) => sum + line.length, 0);
    assert.ok(logs.includes('Log truncated') && bytes < 10_020 && bytes > 9_800, `${bytes} bytes`);
  });
});
