import assert from 'node:assert/strict';
import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { type Connection, Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { Ledger } from '../../../core/internal-services.ts';
import { CHAINS } from '../../../plugins/billing/settlement/chains.ts';
import { GATEWAY_WALLETS } from '../../../plugins/billing/settlement/gateway.ts';
import { connect, disconnect } from '../../localnet/cluster.ts';
import { happens } from '../../support/happens.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { newWallet } from '../../support/wallet.ts';
import { Maker } from '../../upstreams/maker.ts';
import { BillingBench, EVM, USDC } from './support.ts';

/** Of EIP-55. */
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('billing under attack', function () {
  this.timeout(60_000);
  let bench: BillingBench;
  let rpc: RpcProxy;
  let connection: Connection;
  let maker: Maker;
  before(async () => {
    rpc = await RpcProxy.start();
    bench = await BillingBench.start(
      'lowdb',
      // Nothing is swept, so the wallet pays from what the operator put there.
      { sweepFrom: '1000000' },
      {
        rpcUrl(url) {
          rpc.target = url;
          return rpc.url;
        },
      },
    );
    connection = connect(bench.localnet.url);
    maker = new Maker(connection);
    await bench.localnet.faucet.sol(maker.key.toBase58(), 5_000_000_000n);
    await bench.localnet.faucet.usdc(maker.key.toBase58(), 100n * USDC);
  });
  after(async () => {
    assert.deepEqual(bench.aggregator.errors, []);
    disconnect(connection);
    await bench.stop();
    await rpc.stop();
  });
  afterEach(() => rpc.heal());

  const float = (amount: bigint) => bench.localnet.faucet.usdc(bench.wallet, amount);
  const payable = async () => {
    const wallet = newWallet().address;
    await bench.localnet.faucet.usdc(wallet, 1n);
    return wallet;
  };

  it('takes no amount but plain decimals above nothing, and names the field', async () => {
    const agent = await bench.funded(20n * USDC);
    const amounts = [
      ...['1e3', '0', '0.0', '0.000000', '-1', '+5', ' 5', '5 ', '05', '5.', '.5', '5.0000001', '0x10', '1,000', ''],
      ...['Infinity', 'NaN', '٥', '５', '5\u0000', '99999999999999', '9223372036854.775808'],
      ...[1e21, 0.1 + 0.2, -5, true, [], {}, ['5']],
    ];
    for (const amount_usdc of amounts) {
      const where = JSON.stringify(amount_usdc);
      for (const line of ['POST /billing/withdraw', 'POST /billing/deposit'] as const) {
        const rest =
          line === 'POST /billing/deposit'
            ? { chain: 'solana' }
            : { destination_chain: 'base', destination_address: EVM };
        const { status, body } = await bench.aggregator.call(line, { as: agent, body: { amount_usdc, ...rest } });
        assert.deepEqual([status, body.fields?.[0]?.pointer], [400, '/amount_usdc'], `${line} ${where}`);
      }
    }
    for (const amount of ['1e3', '0', '-1', '5.0000001']) {
      const path = `GET /billing/estimate-settlement?amount=${encodeURIComponent(amount)}&destination_chain=base`;
      const { status, body } = await bench.aggregator.call(path, { as: agent });
      assert.deepEqual([status, body.fields?.[0]?.pointer], [400, '/amount'], amount);
    }
    assert.equal(await bench.balance(agent), 20n * USDC);
  });

  it('pays to no destination where the money would be lost or come back, and keeps none for payouts', async () => {
    const agent = await bench.funded(20n * USDC);
    const own = await bench.address(agent);
    const other = await payable();
    const mint = bench.aggregator.node.get(Ledger).cluster.usdcMint;
    const account = getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(other)).toBase58();
    const base = CHAINS.find(({ name }) => name === 'base')!;
    for (const [chain, address, says] of [
      ['solana', own, /is a deposit address of this agent/],
      ['solana', bench.wallet, /is the wallet of this aggregator/],
      ['solana', account, /has no USDC account/],
      ['solana', mint, /has no USDC account/],
      ['solana', '11111111111111111111111111111111', /has no USDC account/],
      ['solana', EVM, /is no address of solana/],
      ['base', other, /is no address of base/],
      ['base', `0x${'0'.repeat(40)}`, /is no address of base/],
      ['base', base.usdc.mainnet, /is the USDC contract/],
      ['base', `0x${base.usdc.testnet.slice(2).toUpperCase()}`, /is the USDC contract/],
      ['base', GATEWAY_WALLETS.mainnet, /is the contract of the gateway/],
      ['base', GATEWAY_WALLETS.testnet, /is the contract of the gateway/],
      ['base', CHECKSUMMED.replace('aAeb', 'aAeB'), /does not fit its checksum/],
      ['base', CHECKSUMMED.replace('6053', '6054'), /does not fit its checksum/],
    ] as const) {
      const where = `${chain} ${address}`;
      const { status, body } = await bench.withdraw(agent, { destination_chain: chain, destination_address: address });
      assert.deepEqual([status, body.fields?.[0]?.pointer], [400, '/destination_address'], where);
      assert.match(body.fields[0].message, says, where);
      const kept = await bench.aggregator.call('POST /billing/set-payout', { as: agent, body: { chain, address } });
      assert.deepEqual([kept.status, kept.body.fields?.[0]?.pointer], [400, '/address'], where);
    }
    assert.equal((await bench.account(agent)).payout, undefined);
    for (const address of [CHECKSUMMED, CHECKSUMMED.toLowerCase(), `0x${CHECKSUMMED.slice(2).toUpperCase()}`]) {
      const body = { chain: 'base', address };
      assert.equal((await bench.aggregator.call('POST /billing/set-payout', { as: agent, body })).status, 200, address);
    }
  });

  it('asks no ledger and no service for a stranger, whose keys cost nothing', async () => {
    const stranger = bench.aggregator.agent('a stranger');
    const wallet = await payable();
    const known = await bench.agent();
    const mint = new PublicKey(bench.aggregator.node.get(Ledger).cluster.usdcMint);
    const account = getAssociatedTokenAddressSync(mint, new PublicKey(wallet)).toBase58();
    const asked = bench.service.calls.length;
    let reads = 0;
    rpc.rewrite = ({ params }, answer) => {
      if (JSON.stringify(params).includes(account)) reads += 1;
      return answer;
    };
    const here = { destination_chain: 'solana', destination_address: wallet };
    for (const agent of [stranger, known]) {
      assert.equal((await bench.withdraw(agent, here)).status, 402);
      assert.equal((await bench.withdraw(agent, { destination_chain: 'sonic' })).status, 402);
    }
    const body = { chain: 'solana', address: wallet };
    assert.equal((await bench.aggregator.call('POST /billing/set-payout', { as: stranger, body })).status, 404);
    assert.deepEqual([reads, bench.service.calls.length], [0, asked]);
    assert.equal((await bench.aggregator.call('POST /billing/set-payout', { as: known, body })).status, 200);
    assert.ok(reads > 0, 'the proxy counts');
  });

  it('sets aside no more than the balance, however many withdrawals come at once', async () => {
    const agent = await bench.funded(20n * USDC);
    await float(20n * USDC);
    const wallet = await payable();
    const wish = { destination_chain: 'solana', destination_address: wallet, amount_usdc: '3' };
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, key) => bench.withdraw(agent, wish, { 'idempotency-key': `at-once-${key}` })),
    );
    const taken = answers.filter(({ status }) => status === 202);
    assert.equal(taken.length, 6, JSON.stringify(answers.map(({ status }) => status)));
    for (const { status, body } of answers)
      if (status !== 202) assert.deepEqual([status, body.code], [402, 'insufficient_funds']);
    assert.equal(await bench.balance(agent), 2n * USDC);
    for (const { body } of taken) await bench.reaches(agent, body.withdrawal_id, 'done');
    assert.equal(await bench.held(wallet), 18n * USDC + 1n);
  });

  it('takes one key for one withdrawal of one agent, at once and afterwards', async () => {
    const [agent, other] = [await bench.funded(20n * USDC), await bench.funded(20n * USDC)];
    await float(20n * USDC);
    const wallet = await payable();
    const wish = { destination_chain: 'solana', destination_address: wallet, amount_usdc: '2' };
    const key = { 'idempotency-key': 'the-same' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => bench.withdraw(agent, wish, key)));
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.withdrawal_id));
    assert.equal(ids.size, 1);
    for (const { status, body } of answers)
      if (status !== 202) assert.deepEqual([status, body.code], [409, 'request_in_progress']);
    const more = await bench.withdraw(agent, { ...wish, amount_usdc: '3' }, key);
    assert.deepEqual([more.status, more.body.code], [422, 'idempotency_mismatch']);
    const elsewhere = await bench.withdraw(agent, { ...wish, destination_address: await payable() }, key);
    assert.equal(elsewhere.status, 422);
    const theirs = await bench.withdraw(other, wish, key);
    assert.equal(theirs.status, 202);
    assert.ok(!ids.has(theirs.body.withdrawal_id), 'the key of another agent is another key');
    const [id] = ids;
    const seen = await bench.aggregator.call(`GET /billing/withdrawals/${id}`, { as: other });
    assert.equal(seen.status, 404);
    assert.equal(await bench.balance(agent), 18n * USDC);
  });

  it('credits neither another token nor USDC in an account beside the deposit address’s own, which it shows', async () => {
    const agent = await bench.agent();
    const address = new PublicKey(await bench.address(agent));
    const usdc = new PublicKey(bench.aggregator.node.get(Ledger).cluster.usdcMint);
    const [mint, beside] = [Keypair.generate(), Keypair.generate()];
    const into = getAssociatedTokenAddressSync(mint.publicKey, address);
    const rent = (size: number) => connection.getMinimumBalanceForRentExemption(size);
    await maker.send(
      [
        SystemProgram.createAccount({
          ...{ fromPubkey: maker.key, newAccountPubkey: mint.publicKey, programId: TOKEN_PROGRAM_ID },
          ...{ lamports: await rent(MINT_SIZE), space: MINT_SIZE },
        }),
        createInitializeMint2Instruction(mint.publicKey, 6, maker.key, null),
        createAssociatedTokenAccountIdempotentInstruction(maker.key, into, address, mint.publicKey),
        createMintToInstruction(mint.publicKey, into, maker.key, 50n * USDC),
      ],
      [mint],
    );
    const from = getAssociatedTokenAddressSync(usdc, maker.key);
    await maker.send(
      [
        SystemProgram.createAccount({
          ...{ fromPubkey: maker.key, newAccountPubkey: beside.publicKey, programId: TOKEN_PROGRAM_ID },
          ...{ lamports: await rent(ACCOUNT_SIZE), space: ACCOUNT_SIZE },
        }),
        createInitializeAccount3Instruction(beside.publicKey, usdc, address),
        createTransferInstruction(from, beside.publicKey, maker.key, 7n * USDC),
      ],
      [beside],
    );
    await bench.deposit(agent, 2n * USDC);
    assert.equal(await bench.balance(agent), 2n * USDC);
    await bench.address(agent);
    const shown = await happens('it is shown to the agent', async () => {
      bench.aggregator.clock.shift(1_000);
      const account = await bench.account(agent);
      return account.beside_usdc === undefined ? undefined : account;
    });
    assert.deepEqual([shown.beside_usdc, shown.balance_usdc], ['7', '2']);
    const headers = { authorization: `Bearer ${bench.aggregator.node.apiSecret}` };
    const { body } = await bench.aggregator.call('GET /admin/billing/books', { headers });
    assert.deepEqual(
      [body.beside, body.beside_more],
      [[{ agent_id: agent.id, address: address.toBase58(), usdc: '7' }], 0],
    );
  });

  it('credits no deposit that is confirmed and not final, whatever balance an RPC shows', async () => {
    const agent = await bench.agent();
    const address = await bench.address(agent);
    const histories: string[] = [];
    rpc.changed.set('getSignaturesForAddress', async (call) => {
      const { commitment = 'finalized' } = call.params[1] ?? {};
      histories.push(commitment);
      // The ledger may yet take back what is confirmed.
      return commitment === 'finalized' ? { jsonrpc: '2.0', id: call.id, result: [] } : call.pass();
    });
    await bench.localnet.faucet.usdc(address, 9n * USDC);
    await happens('its history was read', async () => {
      bench.aggregator.clock.shift(3_000);
      return histories.length > 3 || undefined;
    });
    assert.equal(await bench.balance(agent), 0n);
    rpc.heal();
    await happens('it is credited once it is final', async () => {
      bench.aggregator.clock.shift(3_000);
      return (await bench.balance(agent)) === 9n * USDC || undefined;
    });
  });

  it('gives back at once what goes to a wallet whose USDC account was closed, so that nobody holds up others', async () => {
    const agent = await bench.funded(20n * USDC);
    const owner = new Maker(connection);
    const mint = new PublicKey(bench.aggregator.node.get(Ledger).cluster.usdcMint);
    const account = getAssociatedTokenAddressSync(mint, owner.key);
    await bench.localnet.faucet.sol(owner.key.toBase58(), 1_000_000_000n);
    await maker.send([createAssociatedTokenAccountIdempotentInstruction(maker.key, account, owner.key, mint)]);
    rpc.lost.add('simulateTransaction');
    const wish = { destination_chain: 'solana', destination_address: owner.key.toBase58() };
    const { status, body } = await bench.withdraw(agent, wish);
    assert.equal(status, 202, JSON.stringify(body));
    await happens('it waits', async () => (await bench.withdrawal(agent, body.withdrawal_id)).problem);
    await owner.send([createCloseAccountInstruction(account, owner.key, owner.key)]);
    rpc.heal();
    const failed = await bench.reaches(agent, body.withdrawal_id, 'failed');
    assert.match(failed.problem, /has no USDC account any more/);
    assert.ok(Date.parse(failed.updated_at) - Date.parse(failed.created_at) < 600_000);
    assert.equal(await bench.balance(agent), 20n * USDC);
  });
});
