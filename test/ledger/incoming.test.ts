import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { associatedTokenAddress, memo, transferChecked } from '../../adapters/ledger-solana/instructions.ts';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { connect } from '../localnet/cluster.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { type SolanaBench, signerOf, solanaBench } from './bench.ts';

const SOL = 1_000_000_000n;

describe('incoming transfers', () => {
  let bench: SolanaBench;
  let mint: PublicKey;
  before(async () => {
    bench = await solanaBench();
    mint = new PublicKey(bench.ledger.cluster.usdcMint);
  });
  after(() => bench.close());

  async function send(payer: Keypair, ...instructions: TransactionInstruction[]): Promise<string> {
    const connection = connect(bench.net.url);
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(...instructions);
    transaction.sign(payer);
    return connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  }

  async function payerWithUsdc(): Promise<Keypair> {
    const payer = Keypair.generate();
    await bench.net.faucet.sol(payer.publicKey.toBase58(), SOL);
    await bench.net.faucet.usdc(payer.publicKey.toBase58(), 1_000n);
    return payer;
  }

  function transfer(from: Keypair, to: string, amount: bigint): TransactionInstruction {
    return transferChecked({
      source: associatedTokenAddress(from.publicKey, mint),
      mint,
      destination: associatedTokenAddress(new PublicKey(to), mint),
      owner: from.publicKey,
      amount,
      decimals: 6,
    });
  }

  it('are counted by what the balance gained, not by what instructions say', async () => {
    const from = await payerWithUsdc();
    const { address } = await bench.wallet(SOL, 1n);
    const [minted] = (await bench.ledger.incomingUsdc(address, undefined, 10)).transfers;
    assert.deepEqual([minted?.amount, minted?.memo], [1n, null]);
    const failed = await send(from, transfer(from, address, 5_000n));
    const nothing = await send(from, transfer(from, address, 0n), memo('0', from.publicKey));
    const split = await send(
      from,
      transfer(from, address, 3n),
      transfer(from, address, 4n),
      memo('both', from.publicKey),
    );
    const { transfers: listed } = await bench.ledger.incomingUsdc(address, minted!.signature, 10);
    assert.deepEqual(
      listed.map(({ slot, ...rest }) => ({ ...rest, landed: slot > 0 })),
      [{ signature: split, from: from.publicKey.toBase58(), amount: 7n, memo: 'both', landed: true }],
    );
    assert.ok(!listed.some(({ signature }) => [failed, nothing].includes(signature)));
  });

  it('junk in the history of an account is read once only', async () => {
    const from = await payerWithUsdc();
    const { address } = await bench.wallet(SOL, 1n);
    const { cursor } = await bench.ledger.incomingUsdc(address, undefined, 1);
    for (let junk = 0; junk < 5; junk++) await send(from, transfer(from, address, 0n), memo(`${junk}`, from.publicKey));
    const reads = new Set<string>();
    const ledger = await countingLedger(bench.net.url, (signature) => {
      assert.ok(!reads.has(signature), 'it was read twice');
      reads.add(signature);
    });
    try {
      const junk = await ledger.incomingUsdc(address, cursor, 1);
      assert.deepEqual([junk.transfers, junk.more, reads.size], [[], false, 5]);
      assert.deepEqual(await ledger.incomingUsdc(address, junk.cursor, 1), junk);
      const real = await send(from, transfer(from, address, 9n));
      const [found] = (await ledger.incomingUsdc(address, junk.cursor, 1)).transfers;
      assert.deepEqual([found?.signature, found?.amount, reads.size], [real, 9n, 6]);
    } finally {
      await ledger.close();
    }
  });

  it('are missed by no answer that is the history of another account', async () => {
    const [own, other] = [await bench.wallet(SOL, 1n), await bench.wallet(SOL, 1n)];
    const account = associatedTokenAddress(new PublicKey(own.address), mint).toBase58();
    const theirs = associatedTokenAddress(new PublicKey(other.address), mint).toBase58();
    const rpc = await RpcProxy.start(bench.net.url);
    const ledger = await openSolanaLedger({ url: rpc.url, log: silentLog, clock: systemClock });
    try {
      const { cursor } = await ledger.incomingUsdc(own.address, undefined, 10);
      const real = await bench.net.faucet.usdc(own.address, 5n);
      bench.net.warp({ slots: 5, blocks: 5 });
      await bench.net.faucet.usdc(other.address, 6n);
      let swapped = 0;
      rpc.changed.set('getSignaturesForAddress', async (call) => {
        if (call.params[0] !== account || swapped > 0) return call.pass();
        swapped += 1;
        const list = await connect(bench.net.url).getSignaturesForAddress(new PublicKey(theirs), {}, 'finalized');
        return { jsonrpc: '2.0', id: call.id, result: list };
      });
      const first = await ledger.incomingUsdc(own.address, cursor, 10).catch(() => undefined);
      const second = await ledger.incomingUsdc(own.address, first?.cursor ?? cursor, 10);
      const found = [...(first?.transfers ?? []), ...second.transfers];
      assert.deepEqual([swapped, ...found.map(({ signature, amount }) => [signature, amount])], [1, [real, 5n]]);
    } finally {
      await ledger.close();
      await rpc.stop();
    }
  });

  it('are paged through when there are many', async () => {
    const from = await payerWithUsdc();
    const { address } = await bench.wallet(SOL, 1n);
    const { blockhash } = await connect(bench.net.url).getLatestBlockhash();
    const signer = signerOf(from);
    const source = associatedTokenAddress(from.publicKey, mint);
    const destination = associatedTokenAddress(new PublicKey(address), mint);
    const calls = Array.from({ length: 1_005 }, (_, index) => {
      const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash: blockhash });
      // Failing transactions are part of the history too, and are cheap to skip.
      const amount = index < 3 ? BigInt(index + 1) : 1_000_000n + BigInt(index);
      const owner = from.publicKey;
      transaction.add(transferChecked({ source, mint, destination, owner, amount, decimals: 6 }));
      transaction.addSignature(from.publicKey, Buffer.from(signer.sign(transaction.serializeMessage())));
      const bytes = transaction.serialize({ verifySignatures: false }).toString('base64');
      const params = [bytes, { encoding: 'base64', skipPreflight: true }];
      return { jsonrpc: '2.0', id: index, method: 'sendTransaction', params };
    });
    const sent: string[] = [];
    for (let batch = 0; batch < calls.length; batch += 100) {
      const body = JSON.stringify(calls.slice(batch, batch + 100));
      const headers = { 'content-type': 'application/json' };
      const answers = await (await fetch(bench.net.url, { method: 'POST', headers, body })).json();
      for (const { result } of answers as { result: string }[]) sent.push(result);
    }
    const [cursor, ...rest] = (await bench.ledger.incomingUsdc(address, undefined, 10)).transfers;
    assert.equal(cursor?.amount, 1n);
    assert.deepEqual(
      rest.map(({ signature }) => signature),
      sent.slice(0, 3),
    );
  });
});

/** A ledger that tells which transactions it reads. */
async function countingLedger(url: string, read: (signature: string) => void): Promise<Ledger> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method, params } = JSON.parse(body);
    if (method === 'getTransaction') read(params[0]);
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const ledger = await openSolanaLedger({ url: `http://127.0.0.1:${port}`, log: silentLog, clock: systemClock });
  return {
    ...ledger,
    async close() {
      await ledger.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
