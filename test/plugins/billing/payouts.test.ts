import assert from 'node:assert/strict';
import { Identity, Ledger } from '../../../core/internal-services.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { tokenClaims } from '../../../core/protocol/signer/agent-token.ts';
import { billingPlugin } from '../../../plugins/billing/index.ts';
import { MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from '../../../plugins/billing/settlement/index.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { newWallet } from '../../support/wallet.ts';
import { AttestationStandIn } from '../../upstreams/transfer/attestation-service.ts';
import { transferProgram } from '../../upstreams/transfer/program.ts';

const EVM = `0x${'2b'.repeat(20)}`;
const REVIEW_SECONDS = 3_600;

describe('payouts of settled tasks', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let service: AttestationStandIn;
  /** Milliseconds by which the mesh is ahead of this machine. */
  let ahead = 0;
  const port = { url: 'http://127.0.0.1:9' };
  before(async () => {
    const elf = transferProgram();
    const relay = await AttestationStandIn.start(() => mesh.localnet.url);
    service = relay;
    port.url = relay.url;
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'nora'],
      usdc: { alice: '100' },
      programs: [TOKEN_MESSENGER, MESSAGE_TRANSMITTER].map((address) => ({ address, elf })),
      plugins: { aggregator: [billingPlugin] },
      own: {
        aggregator: {
          mesh: { allowPrivatePeers: true },
          ledger: { maxSolPerDay: '10' },
          get plugins() {
            return { billing: { attestationUrl: port.url } };
          },
        },
      },
    });
    await mesh.localnet.faucet.sol(mesh.aggregatorNode.get(Identity).address, 5_000_000_000n);
  });
  after(async () => {
    await mesh?.stop();
    assert.deepEqual(service.complaints, []);
    await service.stop();
  });

  async function ask(as: Member, line: string, body?: object): Promise<any> {
    const [method, target] = line.split(' ') as [string, string];
    const text = body === undefined ? '' : JSON.stringify(body);
    const identity = as.node.get(Identity);
    const request = { audience: mesh.aggregatorNode.publicUrl, method, target, body: Buffer.from(text) };
    const token = identity.signAgentToken(tokenClaims(identity.address, request, Date.now() + ahead, systemRandom));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const init = { method, headers, ...(body && { body: text }) };
    const response = await fetch(mesh.aggregatorNode.url + target, init);
    const answer = await response.json();
    assert.ok(response.status < 300, JSON.stringify(answer));
    return answer;
  }

  const balance = (of: Member) => ask(of, `GET /billing/balance/${of.id}`);

  /** A deal of 10 USDC whose release goes to the billing deposit address of bob, and which ends as told. */
  async function settled(by: 'verdict' | 'approval' | 'claim' = 'verdict'): Promise<void> {
    const { alice, bob, nora } = mesh.nodes;
    const { address } = await ask(bob, 'POST /billing/deposit', { chain: 'solana', amount_usdc: '10' });
    const given = { recipient: bob.id, amount_usdc: '10', message: 'Count.', notary: nora.id, escrow: true };
    const terms = { ...given, ...(by === 'claim' && { review_secs: REVIEW_SECONDS }) };
    const { conversation_id } = await alice.client.propose(terms);
    await bob.dealWhen(conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await alice.dealWhen(conversation_id, 'accepted');
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    assert.equal((await alice.post('/notarize/assign', { conversation_id })).status, 200);
    await bob.dealWhen(conversation_id, (deal) => deal.history.some(({ event }: any) => event === 'locked'));

    const foreign = await alice.post('/escrow/set-payee', { conversation_id, wallet: address });
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'forbidden'], JSON.stringify(foreign.body));
    const wrong = await bob.post('/escrow/set-payee', { conversation_id, wallet: 'z'.repeat(40) });
    assert.deepEqual([wrong.status, wrong.body.fields[0].pointer], [400, '/wallet']);
    for (let twice = 0; twice < 2; twice++) {
      const named = await bob.post('/escrow/set-payee', { conversation_id, wallet: address });
      assert.equal(named.status, 200, JSON.stringify(named.body));
    }
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    const heard = (deal: any) => deal.history.some(({ event }: any) => event === 'escrow_delivered');
    if (by === 'claim') {
      await bob.dealWhen(conversation_id, heard);
      mesh.advance(REVIEW_SECONDS + 60);
      ahead += (REVIEW_SECONDS + 60) * 1_000;
    }
    const [who, path, more] = {
      verdict: [nora, '/verdict', { outcome: 'approve' }] as const,
      approval: [alice, '/escrow/approve', {}] as const,
      claim: [bob, '/escrow/claim', {}] as const,
    }[by];
    await happens(`the ${by} is given`, async () => {
      const { status } = await who.post(path, { conversation_id, ...more });
      return status === 200 || undefined;
    });
  }

  it('stay in the balance while no destination is set', async () => {
    const { bob } = mesh.nodes;
    await settled();
    await happens('the release is credited', async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return (await balance(bob)).balance_usdc === '10' || undefined;
    });
    // A release whose event comes behind the choice of a destination would go there.
    await happens('its release is known', async () => {
      const answer = await fetch(`${mesh.aggregatorNode.url}/agents/${bob.id}/escrows`);
      const escrows = (await answer.json()) as any[];
      return (escrows.length > 0 && escrows.every(({ state }) => state === 'released')) || undefined;
    });
    const { entries } = await ask(bob, 'GET /billing/history');
    assert.deepEqual(
      entries.map(({ kind }: any) => kind),
      ['deposit'],
    );
  });

  it('go to the default address on Solana after a VERDICT, whole', async () => {
    const { bob } = mesh.nodes;
    const wallet = newWallet().address;
    await mesh.localnet.faucet.usdc(wallet, 1n);
    await ask(bob, 'POST /billing/set-payout', { chain: 'solana', address: wallet });
    await settled();
    await happens('the wallet is paid', async () => {
      const held = await mesh.aggregatorNode.get(Ledger).usdc(wallet);
      return held === 10_000_001n || undefined;
    });
    assert.equal((await balance(bob)).balance_usdc, '10', 'what was there before stays');
  });

  for (const by of ['approval', 'claim'] as const)
    it(`go there after the ${by} as well`, async () => {
      const { bob } = mesh.nodes;
      const wallet = newWallet().address;
      await mesh.localnet.faucet.usdc(wallet, 1n);
      await ask(bob, 'POST /billing/set-payout', { chain: 'solana', address: wallet });
      await settled(by);
      await happens('the wallet is paid', async () => {
        const held = await mesh.aggregatorNode.get(Ledger).usdc(wallet);
        return held === 10_000_001n || undefined;
      });
      assert.equal((await balance(bob)).balance_usdc, '10');
    });

  it('cross to another chain by burn, attestation and mint, less 1 % and the transfer', async () => {
    const { bob } = mesh.nodes;
    await ask(bob, 'POST /billing/set-payout', { chain: 'arbitrum', address: EVM });
    await settled();
    const minted = await happens('it is minted', async () => [...service.mints.values()][0]);
    assert.deepEqual(
      { domain: minted.domain, recipient: minted.recipient, amount: minted.amount },
      { domain: 3, recipient: EVM, amount: 9_748_713n },
    );
    await happens('the books say so', async () => ((await balance(bob)).reserved_usdc === '0' ? true : undefined));
  });
});
