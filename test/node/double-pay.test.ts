import assert from 'node:assert/strict';
import { PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  memo,
  transferChecked,
} from '../../adapters/ledger-solana/instructions.ts';
import { Identity, Ledger } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { paymentMemo } from '../../core/node/payments/memo.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { escrowName } from '../../core/protocol/deals/agreed-lock.ts';
import type { SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { connect } from '../localnet/cluster.ts';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('money of one deal', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol' | 'dave'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob', 'carol', 'dave'], storage: 'lowdb', usdc: { alice: '100' } });
    ({ alice, bob } = mesh.nodes);
  });
  afterEach(() => mesh.localnet.faults.set({}));
  after(() => mesh?.stop());

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const events = (deal: { history: { event: string }[] }) => deal.history.map(({ event }) => event);
  const mintOf = (member: Member) => new PublicKey(member.node.get(Ledger).cluster.usdcMint);

  async function locked(provider = bob): Promise<string> {
    const conversation_id = await accepted(alice, provider);
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    await alice.dealWhen(conversation_id, (deal) => events(deal).includes('locked'));
    return conversation_id;
  }

  /** A step by the agent's key, without its node, in a transaction that it composed itself. */
  async function composed(
    member: Member,
    step: SettlementStep,
    compose: (instructions: TransactionInstruction[]) => TransactionInstruction[],
  ): Promise<Buffer> {
    const signer = ledgerSigner(member.node.get(Identity));
    const prepared = await member.node.get(Ledger).settlement!.prepare(step, [signer]);
    const { instructions, recentBlockhash } = Transaction.from(Buffer.from(prepared.bytes, 'base64'));
    const feePayer = new PublicKey(signer.address);
    const transaction = new Transaction({ feePayer, recentBlockhash: recentBlockhash! }).add(...compose(instructions));
    transaction.addSignature(feePayer, Buffer.from(signer.sign(transaction.serializeMessage())));
    return transaction.serialize();
  }

  async function send(transaction: Buffer): Promise<void> {
    const signature = await connect(mesh.localnet.url).sendRawTransaction(transaction);
    await happens('it has landed', async () => {
      const { value } = await connect(mesh.localnet.url).getSignatureStatus(signature);
      assert.equal(value?.err ?? null, null);
      return value ?? undefined;
    });
  }

  it('that its escrow pays out does not pay another deal that the transaction names', async () => {
    const mint = mintOf(alice);
    const [key, ...others] = [alice, mesh.nodes.carol].map(({ id }) => new PublicKey(id)) as [PublicKey, PublicKey];
    // Carol's wallet is another one of the requester: who lost most is then the requester itself.
    await mesh.localnet.faucet.usdc(others[0]!.toBase58(), 1n);
    const aside = transferChecked({
      source: associatedTokenAddress(key, mint),
      mint,
      destination: associatedTokenAddress(others[0]!, mint),
      owner: key,
      amount: 2_000_000n,
      decimals: 6,
    });
    for (const extra of [[], [aside]]) {
      const first = await locked();
      const second = await delivered(alice, bob);
      const { deal } = await alice.node.get(DealBook).get(first);
      const step = { type: 'approve', ...escrowName(deal) } as const;
      await send(await composed(alice, step, (usual) => [...usual, memo(paymentMemo(second), key), ...extra]));
      await bob.dealWhen(first, 'settled');
      const honest = await delivered(alice, bob);
      await alice.client.pay(honest);
      await bob.dealWhen(honest, 'settled');
      assert.equal((await bob.client.deal(second)).state, 'delivered', 'one payout paid two deals');
    }
  });

  it('that waits at the end of an escrow reaches a provider that was away from the lock on', async () => {
    const { dave } = mesh.nodes;
    const conversation_id = await accepted(alice, dave);
    await dave.stop();
    const { deal } = await alice.node.get(DealBook).get(conversation_id);
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    // Nobody makes an account for what is paid, and nobody but the provider is left to see to it.
    const approved = await composed(alice, { type: 'approve', ...escrowName(deal) }, (usual) =>
      usual.filter(({ programId }) => !programId.equals(ASSOCIATED_TOKEN_PROGRAM)),
    );
    await alice.stop();
    await send(approved);
    await dave.start();
    await dave.dealWhen(conversation_id, 'settled');
    await happens('it is paid', async () => (await usdcOf(dave)) === 1_500_000n || undefined);
    await alice.start();
  });

  describe('is counted however much dust a stranger sends with its memo', () => {
    async function transfer(from: Member, conversation: string, amount: bigint): Promise<void> {
      const ledger = from.node.get(Ledger);
      const signer = ledgerSigner(from.node.get(Identity));
      const prepared = await ledger.prepareUsdcTransfer(
        { to: bob.id, amount, memo: paymentMemo(conversation) },
        signer,
      );
      assert.equal((await ledger.submit(prepared)).status, 'confirmed');
    }

    async function dust(conversation: string): Promise<void> {
      const { carol } = mesh.nodes;
      await mesh.localnet.faucet.usdc(carol.id, 1_000n);
      for (let speck = 1n; speck <= 33n; speck++) await transfer(carol, conversation, speck);
    }

    it('before it', async () => {
      const conversation_id = await delivered(alice, bob);
      await dust(conversation_id);
      await alice.client.pay(conversation_id);
      await bob.dealWhen(conversation_id, 'settled');
    });

    it('before the ACCEPT', async () => {
      // A node reads what comes in while something is owed to it.
      const other = await delivered(alice, bob);
      const conversation_id = await proposed(alice, bob);
      await dust(conversation_id);
      await transfer(alice, conversation_id, 1_500_000n);
      await alice.client.pay(other);
      await bob.dealWhen(other, 'settled');
      await bob.client.accept({ conversation_id });
      await bob.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
      await bob.dealWhen(conversation_id, 'settled');
    });
  });

  it('is not sent again while a lock that was confirmed may yet be undone', async () => {
    const conversation_id = await accepted(alice, bob);
    const before = await usdcOf(alice);
    mesh.localnet.faults.set({ rules: [{ method: 'sendTransaction', fault: 'rolled-back', times: 1 }] });
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    const paid = await alice.post(`/deals/${conversation_id}/pay`);
    assert.deepEqual([paid.status, paid.body.code], [409, 'conflict'], JSON.stringify(paid.body));
    const gone = async () => before - (await usdcOf(alice));
    await happens('the lock is sent again', async () => (await gone()) > 0n || undefined);
    assert.ok((await alice.post(`/deals/${conversation_id}/pay`)).status === 409);
    assert.equal(await gone(), 2_250_000n);
  });
});
