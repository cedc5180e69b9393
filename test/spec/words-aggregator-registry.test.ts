import assert from 'node:assert/strict';
import { Keypair, Transaction } from '@solana/web3.js';
import { registry8004Plugin } from '../../plugins/registry8004/index.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { PROGRAM, RegistryStandIn } from '../upstreams/registry-8004/stand-in.ts';
import { hasMembers, lacks } from './support/words.ts';

describe("the registry 8004, in the specification's words", function () {
  this.timeout(60_000);
  let mesh: Mesh<'node'>;
  before(async () => {
    mesh = await startMesh({
      nodes: ['node'],
      isolated: true,
      usdc: {},
      programs: RegistryStandIn.programs(),
      plugins: { node: [registry8004Plugin] },
      own: { node: { plugins: { registry8004: { gate: false } } } },
    });
    await RegistryStandIn.on(mesh.localnet);
  });
  after(() => mesh?.stop());

  async function call(line: string, body?: unknown, headers: Record<string, string> = {}) {
    const [method, path] = line.split(' ') as [string, string];
    const response = await fetch(mesh.aggregatorNode.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }
  const PREPARE = 'POST /registry/8004/register-prepare';
  const SUBMIT = 'POST /registry/8004/register-submit';

  it('GET /registry/8004/info: registry program ID, collection, registration flow summary', async () => {
    const { status, body } = await call('GET /registry/8004/info');
    assert.equal(status, 200);
    hasMembers(body, { program_id: [PROGRAM], collection: 'base58', steps: 'array' });
  });

  it('POST /registry/8004/register-prepare {owner_pubkey, agent_uri?}: {transaction_b64}, partially signed', async () => {
    const owner_pubkey = Keypair.generate().publicKey.toBase58();
    for (const body of [{ owner_pubkey }, { owner_pubkey, agent_uri: 'https://example.org/agent.json' }]) {
      const answer = await call(PREPARE, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      hasMembers(answer.body, { transaction_b64: 'string' });
      const { signatures } = Transaction.from(Buffer.from(answer.body.transaction_b64, 'base64'));
      assert.deepEqual(
        signatures.map(({ signature }) => signature !== null),
        [false, true],
      );
    }
    assert.equal((await call(PREPARE, { agent_uri: 'https://example.org' })).status, 400);
  });

  it('POST /registry/8004/register-submit {transaction_b64, owner_signature_b64}: injects it and broadcasts', async () => {
    const owner = Keypair.generate();
    await mesh.localnet.faucet.sol(owner.publicKey.toBase58(), 1_000_000_000n);
    const { body } = await call(PREPARE, { owner_pubkey: owner.publicKey.toBase58() });
    const { transaction_b64 } = body;
    const transaction = Transaction.from(Buffer.from(transaction_b64, 'base64'));
    transaction.partialSign(owner);
    const owner_signature_b64 = transaction.signature!.toString('base64');
    const done = await call(SUBMIT, { transaction_b64, owner_signature_b64 });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    hasMembers(done.body, { signature: 'string', asset_pubkey: 'base58' });
    for (const part of [{ transaction_b64 }, { owner_signature_b64 }])
      assert.equal((await call(SUBMIT, part)).status, 400);
  });

  it('POST /registry/8004/register-local: {signature, asset_pubkey, explorer}, by its own keypair', async () => {
    const { node } = mesh.nodes;
    await mesh.localnet.faucet.sol(node.id, 1_000_000_000n);
    const { status, body } = await node.post('/registry/8004/register-local');
    assert.equal(status, 200, JSON.stringify(body));
    hasMembers(body, { signature: 'string', asset_pubkey: 'base58', explorer: 'string' });
    lacks(body, 'transaction_b64');
    assert.ok(body.explorer.startsWith(`https://explorer.solana.com/tx/${body.signature}`));
    assert.equal((await call('POST /registry/8004/register-local', {})).status, 401, 'it spends: the secret is needed');
  });

  it('HTTP 429: register-prepare exceeds 10 requests per minute per IP; retry after 60 seconds', async () => {
    const owner_pubkey = Keypair.generate().publicKey.toBase58();
    mesh.advance(61);
    const answers = [];
    for (let count = 0; count < 11; count++) answers.push(await call(PREPARE, { owner_pubkey }));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array(10).fill(200), 429],
    );
    assert.equal(answers[10]!.headers.get('retry-after'), '60');
  });
});
