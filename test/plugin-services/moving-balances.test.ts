import assert from 'node:assert/strict';
import { createTransferInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  Connection,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, type MeshError } from '../../core/plugin.ts';
import { Transactions } from '../../core/services.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const FEE = 5_000n;

describe('a rehearsal beside other payments', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let proxy: RpcProxy;
  let connection: Connection;
  let transactions: Transactions;
  let [wallet, bob, usdc]: PublicKey[] = [];
  const plugin = definePlugin({
    name: 'signer',
    api: '2.0',
    permissions: ['money:sign:*'],
    node: {
      uses: { transactions: Transactions },
      setup(services) {
        transactions = services.transactions;
        return {};
      },
    },
  });
  before(async () => {
    proxy = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      isolated: true,
      usdc: { alice: '100', bob: '1' },
      plugins: { alice: [plugin] },
      rpcUrl(url, name) {
        proxy.target = url;
        return name === 'alice' ? proxy.url : url;
      },
    });
    const { alice } = mesh.nodes;
    [wallet, bob] = [alice.id, mesh.nodes.bob.id].map((id) => new PublicKey(id)) as [PublicKey, PublicKey];
    usdc = new PublicKey(alice.node.get(Ledger).cluster.usdcMint);
    connection = new Connection(mesh.localnet!.url, 'confirmed');
  });
  after(async () => {
    await mesh?.stop();
    await proxy?.stop();
  });
  afterEach(() => proxy.heal());

  async function made(instruction: TransactionInstruction): Promise<string> {
    const { blockhash } = await connection.getLatestBlockhash();
    const terms = { payerKey: wallet!, recentBlockhash: blockhash, instructions: [instruction] };
    const transaction = new VersionedTransaction(new TransactionMessage(terms).compileToV0Message());
    return Buffer.from(transaction.serialize()).toString('base64');
  }
  function payment(minor: bigint): Promise<string> {
    const [from, to] = [wallet!, bob!].map((one) => getAssociatedTokenAddressSync(usdc!, one)) as [
      PublicKey,
      PublicKey,
    ];
    return made(createTransferInstruction(from, to, wallet!, minor));
  }
  const held = async () => {
    const account = getAssociatedTokenAddressSync(usdc!, wallet!);
    return BigInt((await connection.getTokenAccountBalance(account, 'processed')).value.amount);
  };
  /** Money that comes in between the reading of the balances and the rehearsal, so many times. */
  function disturb(times: number): { readonly count: number } {
    const done = { count: 0 };
    proxy.changed.set('simulateTransaction', async ({ pass }) => {
      if (done.count < times) {
        done.count += 1;
        const before = await held();
        await mesh.localnet!.faucet.usdc(wallet!.toBase58(), 7_000_000n);
        await happens('the payment is there', async () => (await held()) > before || undefined);
      }
      return pass();
    });
    return done;
  }

  it('what the transaction takes is not covered by a payment that came in meanwhile', async () => {
    const transaction = await payment(6_000_000n);
    const done = disturb(1);
    const { refusals, tokens } = await transactions.inspect(transaction, { spend: { lamports: FEE } });
    assert.deepEqual(refusals, [`takes 6000000 of ${usdc!.toBase58()}, and 0 is allowed`]);
    assert.deepEqual([tokens, done.count], [{ [usdc!.toBase58()]: -6_000_000n }, 1]);
  });

  it('an honest transaction is not refused for a payment that leaves meanwhile', async () => {
    const other = await payment(3_000_000n);
    const pay = SystemProgram.transfer({ fromPubkey: wallet!, toPubkey: bob!, lamports: 1_000 });
    const transaction = await made(pay);
    let once = false;
    proxy.changed.set('simulateTransaction', async ({ pass, params }) => {
      if (!once && params[0] === transaction) {
        once = true;
        const before = await held();
        const spend = { lamports: FEE, tokens: { [usdc!.toBase58()]: 3_000_000n } };
        await transactions.send({ key: 'beside', transaction: other, spend });
        await happens('it has left', async () => (await held()) < before || undefined);
      }
      return pass();
    });
    const report = await transactions.inspect(transaction, { spend: { lamports: FEE + 1_000n } });
    assert.deepEqual([report.refusals, report.lamports, report.tokens], [[], -FEE - 1_000n, {}]);
    assert.ok(once);
  });

  it('a wallet that never stands still is told so, and nothing is signed', async () => {
    const transaction = await payment(1_000_000n);
    const done = disturb(100);
    const spend = { lamports: FEE, tokens: { [usdc!.toBase58()]: 1_000_000n } };
    await assert.rejects(transactions.send({ key: 'restless', transaction, spend }), (error: MeshError) => {
      assert.deepEqual([error.code, done.count], ['conflict', 6]);
      assert.match(error.message, /Other payments change the accounts of this wallet/);
      return true;
    });
    assert.equal(await transactions.find('restless'), undefined);
    proxy.heal();
    assert.match((await transactions.send({ key: 'restless', transaction, spend })).status, /confirmed|final/);
  });
});
