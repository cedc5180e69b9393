import assert from 'node:assert/strict';
import { createApproveInstruction, createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import { associatedTokenAddress, memo } from '../../adapters/ledger-solana/instructions.ts';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { type Forged, offerOf, paymentFor } from '../support/x402-payment.ts';
import { LIGHTHOUSE, lighthouseProgram } from '../upstreams/lighthouse.ts';

const Served = typed<{ nth: number }>({
  type: 'object',
  properties: { nth: { type: 'integer' } },
  examples: [{ nth: 1 }],
});
const PASSES = [5, 0];
const FAILS = [5, 255];

describe('payments that a wallet added instructions to', function () {
  this.timeout(60_000);
  let mesh: Mesh<'seller'>;
  let seller: Member;
  let connection: Connection;
  let mint: PublicKey;
  const payer = Keypair.generate();
  let nth = 0;
  const shop = definePlugin({
    name: 'shop',
    api: '2.2',
    node: {
      routes: { tide: route('GET /tide', { auth: 'x402', price: '0.01', reply: Served }) },
      setup: () => ({ routes: { tide: () => ({ nth: ++nth }) } }),
    },
  });
  before(async () => {
    mesh = await startMesh({
      nodes: ['seller'],
      usdc: { seller: '1' },
      plugins: { seller: [shop] },
      programs: [{ address: LIGHTHOUSE, elf: lighthouseProgram() }],
    });
    ({ seller } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    mint = new PublicKey(seller.node.get(Ledger).cluster.usdcMint);
    await mesh.localnet.faucet.usdc(payer.publicKey.toBase58(), 10_000_000n);
  });
  after(async () => {
    disconnect(connection);
    await mesh?.stop();
  });

  const call = (headers: Record<string, string> = {}) => fetch(`${seller.url}/tide`, { headers });
  const paid = async (forgery: Forged) =>
    call(await paymentFor(offerOf(await call()), connection, { payer, ...forgery }));
  const own = () => associatedTokenAddress(payer.publicKey, mint);
  const guard = (data: number[], ...accounts: PublicKey[]) =>
    new TransactionInstruction({
      programId: new PublicKey(LIGHTHOUSE),
      keys: accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
      data: Buffer.from(data),
    });

  const honest: Record<string, () => Forged> = {
    'two assertions behind the payment': () => ({ more: [guard(PASSES, own()), guard(PASSES, payer.publicKey)] }),
    'three assertions before the payment and one behind': () => ({
      rearranged: ([limit, price, transfer, ...rest]) => [
        ...[limit!, price!, guard(PASSES, own()), guard(PASSES), guard(PASSES), transfer!, ...rest, guard(PASSES)],
      ],
    }),
    'a memo of its own': () => ({ more: [memo('sent by a wallet')] }),
    'a compute budget at the end': () => ({ rearranged: ([limit, price, ...rest]) => [...rest, price!, limit!] }),
    'no compute budget left': () => ({ rearranged: ([, , ...rest]) => rest }),
    'a compute price alone': () => ({ rearranged: ([, price, ...rest]) => [price!, ...rest] }),
  };
  for (const [name, forgery] of Object.entries(honest))
    it(`a payment with ${name} is taken`, async () => {
      const before = await seller.node.get(Ledger).usdc(seller.id);
      const response = await paid(forgery());
      assert.equal(response.status, 200, await response.clone().text());
      assert.equal((await seller.node.get(Ledger).usdc(seller.id))! - before!, 10_000n);
    });

  const key = () => new PublicKey(seller.id);
  const bad: Record<string, [() => Forged, number, RegExp]> = {
    'a second price': [
      () => ({ more: [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 })] }),
      4,
      /is one compute price more than 1/,
    ],
    'a price that costs more than the bound where no limit is set': [
      () => ({
        rearranged: ([, , ...rest]) => [
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
          ...rest,
        ],
      }),
      0,
      /makes a fee of 410000 lamports, and 50000 is the most/,
    ],
    'a larger heap': [
      () => ({ more: [ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 })] }),
      4,
      /is RequestHeapFrame of the compute budget/,
    ],
    'an approval': [
      () => ({ more: [createApproveInstruction(own(), Keypair.generate().publicKey, payer.publicKey, 5)] }),
      4,
      /is Approve of the token program/,
    ],
    'a second payment': [
      () => ({ rearranged: (stock) => [...stock, stock[2]!] }),
      4,
      /is one TransferChecked more than 1/,
    ],
    'an account that is opened at the cost of the node': [
      () => ({
        more: [createAssociatedTokenAccountIdempotentInstruction(...([key(), own(), payer.publicKey, mint] as const))],
      }),
      4,
      /is a call of the program of associated token accounts with the account that pays the fee/,
    ],
    'a transfer of SOL': [
      () => ({
        more: [
          SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: Keypair.generate().publicKey, lamports: 1 }),
        ],
      }),
      -1,
      /must be the payer of the fee and the one who pays, who signs and is not changed/,
    ],
    'a call of an unknown program': [
      () => ({
        more: [new TransactionInstruction({ programId: mint, keys: [], data: Buffer.from([1]) })],
      }),
      4,
      /is a call of the program 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU; a payment has one TransferChecked/,
    ],
    'a guard that writes': [() => ({ more: [guard([0, 0])] }), 4, /is instruction 0 of Lighthouse/],
    'a guard over the account that pays the fee': [
      () => ({ more: [guard(PASSES, key())] }),
      4,
      /is instruction 5 of Lighthouse with the account that pays the fee/,
    ],
    'five guards': [
      () => ({ more: [1, 2, 3, 4, 5].map((last) => guard([5, last])) }),
      8,
      /is one assertion more than 4/,
    ],
  };
  for (const [name, [forgery, index, message]] of Object.entries(bad))
    it(`${name} is refused by name`, async () => {
      const [lamports, before] = [await connection.getBalance(key()), nth];
      const response = await paid(forgery());
      const body: any = await response.json();
      assert.equal(response.status, 402, JSON.stringify(body));
      const [field] = body.fields;
      assert.equal(field.pointer, `/payload/transaction/${index < 0 ? 'signers' : `instructions/${index}`}`);
      assert.match(field.message, message);
      assert.deepEqual([await connection.getBalance(key()), nth], [lamports, before]);
    });

  it('an assertion that fails in the rehearsal costs nothing', async () => {
    const lamports = await connection.getBalance(key());
    const response = await paid({ more: [guard(FAILS)] });
    const body: any = await response.json();
    assert.deepEqual([response.status, body.fields[0].pointer], [402, '/payload/transaction'], JSON.stringify(body));
    assert.match(body.fields[0].message, /would fail: .*InstructionError/);
    assert.equal(await connection.getBalance(key()), lamports);
  });
});
