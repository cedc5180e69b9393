import assert from 'node:assert/strict';
import { type Keypair, Keypair as Keys, SystemProgram, Transaction, VersionedTransaction } from '@solana/web3.js';
import { publicKey } from '../../adapters/ledger-solana/holdings.ts';
import { associatedTokenAddress } from '../../adapters/ledger-solana/instructions.ts';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { USDC_MINT } from '../../adapters/localnet/addresses.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import type { Ledger, PreparedTransaction, Signer, SponsoredSent } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { rpc } from '../localnet/cluster.ts';
import { signerOf } from './bench.ts';

const SOL = 1_000_000_000n;
/** Longer than a blockhash lives. */
const LATE = 900;

describe('an RPC whose index of transactions is behind its accounts', function () {
  this.timeout(30_000);
  let net: Localnet;
  /** It asks the RPC with faults, and the other one asks one that is well. */
  let ledger: Ledger;
  let truth: Ledger;
  let from: Signer;
  let to: Signer;
  let sponsor: Keypair;
  before(async () => {
    net = await startLocalnet({ log: silentLog, admin: true, slotMs: 0, faults: { views: [{}, {}] } });
    const open = (index: number) =>
      openSolanaLedger({ url: net.views[index]!.url, log: silentLog, clock: systemClock });
    [ledger, truth] = [await open(0), await open(1)];
  });
  beforeEach(async () => {
    const [payer, receiver] = [Keys.generate(), Keys.generate()];
    sponsor = Keys.generate();
    [from, to] = [signerOf(payer), signerOf(receiver)];
    for (const { address } of [from, to, signerOf(sponsor)]) net.faucet.sol(address, SOL);
    for (const { address } of [from, to]) net.faucet.usdc(address, 100n);
    pass(1);
  });
  afterEach(() => net.play({ views: [{}, {}] }));
  after(async () => {
    await Promise.all([ledger.close(), truth.close()]);
    await net.stop();
  });

  const pass = (slots = 200) => net.warp({ slots, blocks: slots });
  const late = (...methods: string[]) =>
    net.faults.set({ late: Object.fromEntries(methods.map((method) => [method, LATE])) });
  const made = async () => {
    const prepared = await ledger.prepareUsdcTransfer({ to: to.address, amount: 4n, memo: '' }, from);
    pass(1);
    return prepared;
  };
  const landed = async () => {
    const prepared = await made();
    assert.equal((await truth.submit(prepared)).status, 'confirmed');
    return prepared;
  };
  const doubt = async (prepared: PreparedTransaction) => {
    const outcome = await ledger.outcome(prepared);
    assert.equal(outcome.status, 'pending', JSON.stringify(outcome));
    return outcome.status === 'pending' ? outcome.lapsed?.reason : undefined;
  };

  describe('is not believed that a transaction expired', () => {
    it('where the history of the account that paid ends before what it holds', async () => {
      const prepared = await landed();
      late('getSignatureStatuses', 'getSignaturesForAddress', 'getTransaction');
      pass();
      assert.match((await doubt(prepared))!, /lags behind .*does not end in what .* holds/);
      late('getSignatureStatuses', 'getSignaturesForAddress');
      assert.match((await doubt(prepared))!, /does not end in what/);
      net.faults.clear();
      assert.equal((await ledger.outcome(prepared)).status, 'confirmed');
    });

    it('where it lists the transaction', async () => {
      const prepared = await landed();
      late('getSignatureStatuses');
      pass();
      assert.match((await doubt(prepared))!, /lists the transaction and knows no status of it/);
    });

    it('where it does not show the newest one that it lists', async () => {
      const prepared = await made();
      net.faucet.sol(from.address, 5n);
      late('getTransaction');
      pass();
      assert.match((await doubt(prepared))!, /does not end in what/);
    });
  });

  it('is believed once its history ends in what the account holds, whatever others did with it', async () => {
    const prepared = await made();
    net.faucet.sol(from.address, 5n);
    net.faucet.usdc(from.address, 5n);
    pass();
    assert.equal((await ledger.outcome(prepared)).status, 'expired');
    // Its record as it is kept once nothing about it will change: without its bytes.
    const { bytes: _, ...record } = prepared;
    assert.equal((await ledger.outcome(record)).status, 'expired');
  });

  describe('is not believed that a payment by x402 was not taken', () => {
    const signed = async () => {
      const memo = Keys.generate().publicKey.toBase58();
      const feePayer = sponsor.publicKey.toBase58();
      const prepared = await ledger.prepareSponsoredUsdc({ to: to.address, amount: 4n, memo, feePayer }, from);
      const { signature, lastValidBlockHeight, madeAfter = 0 } = prepared;
      pass(1);
      return { prepared, sent: { signature, memo, lastValidBlockHeight, madeAfter } satisfies SponsoredSent };
    };
    /** The seller takes it. */
    const taken = async () => {
      const { prepared, sent } = await signed();
      const transaction = VersionedTransaction.deserialize(Buffer.from(prepared.bytes, 'base64'));
      transaction.sign([sponsor]);
      const bytes = Buffer.from(transaction.serialize()).toString('base64');
      const options = { encoding: 'base64', skipPreflight: true };
      assert.ok(((await rpc(net.views[1]!.url, 'sendTransaction', [bytes, options])) as any).result);
      return sent;
    };
    const outcome = (sent: SponsoredSent) => ledger.sponsoredOutcome(from.address, sent);

    it('where its list is late', async () => {
      const sent = await taken();
      late('getSignaturesForAddress');
      pass();
      assert.deepEqual(await outcome(sent), { status: 'pending', lapsed: true });
      net.faults.clear();
      assert.equal((await outcome(sent)).status, 'paid');
    });

    it('where it gives the list that it gave before, of this account or another one', async () => {
      const sent = await taken();
      pass();
      const account = associatedTokenAddress(publicKey(from.address), publicKey(USDC_MINT)).toBase58();
      const before = (await rpc(net.views[1]!.url, 'getSignaturesForAddress', [account])) as any;
      const rule = { method: 'getSignaturesForAddress', fault: 'previous', times: 1 } as const;
      for (const params of [
        [account, { before: before.result[0].signature }],
        [Keys.generate().publicKey.toBase58()],
        [to.address],
      ]) {
        await rpc(net.views[0]!.url, 'getSignaturesForAddress', params);
        net.faults.set({ rules: [rule] });
        assert.deepEqual(await outcome(sent), { status: 'pending', lapsed: true }, JSON.stringify(params));
        assert.equal((await outcome(sent)).status, 'paid');
      }
    });

    it('and is, once its list ends in what the account holds, whatever strangers did with it', async () => {
      const { sent } = await signed();
      const account = associatedTokenAddress(publicKey(from.address), publicKey(USDC_MINT));
      net.faucet.usdc(from.address, 3n);
      const { result } = (await rpc(net.url, 'getLatestBlockhash', [{ commitment: 'processed' }])) as any;
      const gift = new Transaction({ feePayer: sponsor.publicKey, recentBlockhash: result.value.blockhash });
      gift.add(SystemProgram.transfer({ fromPubkey: sponsor.publicKey, toPubkey: account, lamports: 7 })).sign(sponsor);
      const options = { encoding: 'base64', skipPreflight: true };
      await rpc(net.url, 'sendTransaction', [gift.serialize().toString('base64'), options]);
      pass();
      assert.equal((await outcome(sent)).status, 'unpaid');
    });
  });

  it('and an old answer gives a foreign transaction no earlier end than it has', async () => {
    const prepared = await made();
    net.faults.set({ lag: { getLatestBlockhash: 60 } });
    pass(30);
    const bytes = Buffer.from(prepared.bytes, 'base64');
    await assert.rejects(ledger.foreign.prepared(bytes), { code: 'ledger_unavailable' });
    net.faults.clear();
    assert.ok((await ledger.foreign.prepared(bytes)).lastValidBlockHeight >= prepared.lastValidBlockHeight);
  });
});
