import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { registry8004Plugin } from '../../plugins/registry8004/index.ts';
import { messageOf } from '../../plugins/registry8004/message.ts';
import { registerInstruction } from '../../plugins/registry8004/registration.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { COLLECTION, derive, PROGRAM, RegistryStandIn } from '../upstreams/registry-8004/stand-in.ts';

const SOL = 1_000_000_000n;

describe('registration in the registry 8004', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  let carol: Member;
  let registry: RegistryStandIn;
  let proxy: RpcProxy;
  before(async () => {
    proxy = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'carol'],
      storage: 'lowdb',
      isolated: true,
      usdc: { alice: '1' },
      programs: RegistryStandIn.programs(),
      plugins: { alice: [registry8004Plugin], bob: [registry8004Plugin], carol: [registry8004Plugin] },
      settings: { plugins: { registry8004: { gate: false } } },
      rpcUrl(url) {
        proxy.target = url;
        return proxy.url;
      },
    });
    ({ alice, bob, carol } = mesh.nodes);
    registry = await RegistryStandIn.on(mesh.localnet);
  });
  afterEach(() => proxy.heal());
  after(async () => {
    await mesh?.stop();
    await proxy?.stop();
  });

  async function ask(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(mesh.aggregatorNode.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }
  const prepare = (owner_pubkey: string, agent_uri?: string) =>
    ask('/registry/8004/register-prepare', { owner_pubkey, ...(agent_uri !== undefined && { agent_uri }) });
  const submit = (transaction_b64: string, signature: Uint8Array) =>
    ask('/registry/8004/register-submit', {
      transaction_b64,
      owner_signature_b64: Buffer.from(signature).toString('base64'),
    });
  async function funded(): Promise<Keypair> {
    const owner = Keypair.generate();
    await mesh.localnet.faucet.sol(owner.publicKey.toBase58(), SOL);
    return owner;
  }
  function signed(owner: Keypair, message_b64: string): Uint8Array {
    const transaction = new VersionedTransaction(
      VersionedTransaction.deserialize(
        Buffer.concat([Buffer.of(2), Buffer.alloc(128), Buffer.from(message_b64, 'base64')]),
      ).message,
    );
    transaction.sign([owner]);
    return transaction.signatures[0]!;
  }

  it('builds the message of the reference, byte for byte', () => {
    const [owner, asset] = [1, 2].map((fill) => Keypair.fromSeed(new Uint8Array(32).fill(fill)).publicKey.toBase58());
    const ledger = {
      derive: (program: string, seeds: readonly Uint8Array[]) =>
        PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBase58(),
    };
    const terms = { owner: owner!, asset: asset!, collection: COLLECTION, uri: 'https://example.org/a.json' };
    const built = registerInstruction(ledger, { program: PROGRAM, isTest: true }, terms);
    const message = messageOf(built, owner!, bs58.encode(Buffer.alloc(32, 3)));
    assert.equal(message.length, 374);
    assert.equal(
      createHash('sha256').update(message).digest('hex'),
      '99dd55a2c30da9ce7c28374cb3182ce4ec9467ed28d2d35c56ab380396d0b009',
    );
  });

  it('tells where the registry is, and how to register', async () => {
    for (const { status, body } of [await ask('/registry/8004/info'), await alice.get('/registry/8004/info')]) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        [body.network, body.available, body.program_id, body.collection],
        ['localnet', true, PROGRAM, COLLECTION],
      );
    }
  });

  it('prepares what its owner signs, puts the signature in, and has the ledger take it, once', async () => {
    const owner = await funded();
    const address = owner.publicKey.toBase58();
    const uri = 'https://example.org/agent.json';
    const { status, body } = await prepare(address, uri);
    assert.equal(status, 200, JSON.stringify(body));
    const transaction = Transaction.from(Buffer.from(body.transaction_b64, 'base64'));
    assert.equal(transaction.feePayer!.toBase58(), address);
    assert.deepEqual(
      transaction.signatures.map(({ publicKey, signature }) => [publicKey.toBase58(), signature !== null]),
      [
        [address, false],
        [body.asset_pubkey, true],
      ],
    );
    const signature = signed(owner, body.message_b64);
    const sent = await submit(body.transaction_b64, signature);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.deepEqual([sent.body.signature, sent.body.asset_pubkey], [bs58.encode(signature), body.asset_pubkey]);
    assert.equal(sent.body.explorer, `https://explorer.solana.com/tx/${sent.body.signature}?cluster=custom`);
    assert.match(sent.body.status, /confirmed|final/);
    const item = (await registry.read(body.asset_pubkey))!;
    assert.equal(bs58.encode(item.data.subarray(1, 33)), address);
    assert.equal(item.data.subarray(79).toString().replaceAll('\0', ''), uri);
    const account = (await registry.read(derive('agent', body.asset_pubkey)))!;
    assert.equal(bs58.encode(account.data.subarray(104, 136)), body.asset_pubkey);
    const again = await submit(body.transaction_b64, signature);
    assert.deepEqual([again.status, again.body.signature], [200, sent.body.signature]);
  });

  it('sends nothing but what it prepared, signed by the owner', async () => {
    const owner = await funded();
    const thief = Keypair.generate();
    const { body } = await prepare(owner.publicKey.toBase58());
    const bytes = Buffer.from(body.transaction_b64, 'base64');
    const signature = signed(owner, body.message_b64);
    const before = proxy.passed['sendTransaction'] ?? 0;
    const flipped = (at: number) => {
      const copy = Buffer.from(bytes);
      copy[at] = copy[at]! ^ 1;
      return copy.toString('base64');
    };
    for (const [transaction, by, code, word] of [
      [flipped(bytes.length - 1), signature, 'registration_unknown', ''],
      [flipped(200), signature, 'registration_unknown', ''],
      [flipped(70), signature, 'invalid_request', 'another signature of the asset'],
      [flipped(1), signature, 'invalid_request', "in the owner's place"],
      [
        body.transaction_b64,
        signed(thief, Buffer.from(replaced(bytes.subarray(129), owner, thief)).toString('base64')),
        'invalid_request',
        'is not the signature of',
      ],
      [body.transaction_b64, new Uint8Array(64), 'invalid_request', '/owner_signature_b64'],
      ['AQAAAA==', signature, 'invalid_request', '/transaction_b64'],
      [`${body.transaction_b64.slice(0, -2)}`, signature, 'invalid_request', '/transaction_b64'],
    ] as const) {
      const answer = await submit(transaction, by);
      assert.ok([400, 404].includes(answer.status), JSON.stringify(answer.body));
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
      assert.ok(JSON.stringify(answer.body).includes(word), JSON.stringify([word, answer.body]));
    }
    assert.equal(proxy.passed['sendTransaction'] ?? 0, before);
    assert.equal(await registry.read(body.asset_pubkey), undefined);
    // The owner's signature may stand in its place already.
    const filled = Buffer.concat([bytes.subarray(0, 1), signature, bytes.subarray(65)]).toString('base64');
    assert.equal((await submit(filled, signature)).status, 200);
  });

  it('refuses an owner without SOL before anything is sent, by the word of the ledger', async () => {
    const owner = Keypair.generate();
    const { body } = await prepare(owner.publicKey.toBase58());
    const signature = signed(owner, body.message_b64);
    const poor = await submit(body.transaction_b64, signature);
    assert.deepEqual([poor.status, poor.body.code], [422, 'transaction_refused'], JSON.stringify(poor.body));
    // The same signature counts once there is something to pay with.
    await mesh.localnet.faucet.sol(owner.publicKey.toBase58(), SOL);
    const paid = await submit(body.transaction_b64, signature);
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
  });

  it('takes no transaction that the ledger takes no more', async () => {
    const owner = await funded();
    const { body } = await prepare(owner.publicKey.toBase58());
    mesh.localnet.warp({ slots: 200, blocks: 200, seconds: 1 });
    const late = await submit(body.transaction_b64, signed(owner, body.message_b64));
    assert.deepEqual([late.status, late.body.code], [410, 'registration_expired'], JSON.stringify(late.body));
    assert.equal(await registry.read(body.asset_pubkey), undefined);
  });

  it('says pending while nobody knows, and the same call tells the end', async () => {
    const owner = await funded();
    const { body } = await prepare(owner.publicKey.toBase58());
    const signature = signed(owner, body.message_b64);
    // It is sent, and no answer about it comes back.
    proxy.lost.add('getSignatureStatuses');
    const unknown = await submit(body.transaction_b64, signature);
    assert.deepEqual([unknown.status, unknown.body.status], [200, 'pending'], JSON.stringify(unknown.body));
    assert.ok(await registry.read(body.asset_pubkey), 'it has landed');
    proxy.heal();
    for (let tries = 0; ; tries++) {
      const { body: now } = await submit(body.transaction_b64, signature);
      assert.equal(now.signature, unknown.body.signature);
      if (now.status !== 'pending') break;
      assert.ok(tries < 600, 'it never ended');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  it('names the field of what does not fit, and asks the ledger nothing', async () => {
    const { passed } = proxy;
    const before = passed['getLatestBlockhash'] ?? 0;
    const id = alice.id;
    for (const [body, pointer] of [
      [{}, '/owner_pubkey'],
      [{ owner_pubkey: 'me' }, '/owner_pubkey'],
      [{ owner_pubkey: '1'.repeat(44) }, '/owner_pubkey'],
      [{ owner_pubkey: id, agent_uri: 'x'.repeat(251) }, '/agent_uri'],
      [{ owner_pubkey: id, agent_uri: 'ü'.repeat(126) }, '/agent_uri'],
      [{ owner_pubkey: id, agent_uri: 'a\u0000b' }, '/agent_uri'],
      [{ owner_pubkey: id, agent_url: 'x' }, '/agent_url'],
    ] as const) {
      const answer = await alice.call(
        'POST',
        '/registry/8004/register-local',
        'agent_uri' in body ? { agent_uri: body.agent_uri } : { agent_url: 'x' },
      );
      assert.equal(answer.status, 400, JSON.stringify([body, answer.body]));
      const other = await ask('/registry/8004/register-prepare', body, { 'x-forwarded-for': '9.9.9.9' });
      if (other.status === 429) continue;
      assert.equal(other.status, 400, JSON.stringify([body, other.body]));
      assert.ok(JSON.stringify(other.body).includes(pointer), JSON.stringify([pointer, other.body]));
    }
    assert.equal(passed['getLatestBlockhash'] ?? 0, before);
  });

  it('registers the key of the node, with its secret, once however often it is asked', async () => {
    const denied = await alice.post('/registry/8004/register-local', {}, { authorization: 'Bearer wrong' });
    assert.equal(denied.status, 401);
    const [one, two] = await Promise.all([
      alice.post('/registry/8004/register-local', { agent_uri: 'https://example.org/alice.json' }),
      alice.post('/registry/8004/register-local', { agent_uri: 'https://example.org/alice.json' }),
    ]);
    assert.equal(one.status, 200, JSON.stringify(one.body));
    assert.deepEqual(
      [two.status, two.body.signature, two.body.asset_pubkey],
      [200, one.body.signature, one.body.asset_pubkey],
    );
    await alice.restart();
    const later = await alice.post('/registry/8004/register-local', { agent_uri: 'https://example.org/alice.json' });
    assert.equal(later.body.signature, one.body.signature);
    const other = await alice.post('/registry/8004/register-local', { agent_uri: 'https://example.org/other.json' });
    assert.deepEqual([other.status, other.body.asset_pubkey], [409, one.body.asset_pubkey]);
    const item = (await registry.read(one.body.asset_pubkey))!;
    assert.equal(bs58.encode(item.data.subarray(1, 33)), alice.id);
  });

  it('goes on after a crash with the registration that it had recorded, and makes no second one', async () => {
    await mesh.localnet.faucet.sol(bob.id, SOL);
    for (const method of ['sendTransaction', 'getSignatureStatuses']) proxy.lost.add(method);
    const first = await bob.post('/registry/8004/register-local');
    assert.deepEqual([first.status, first.body.status], [200, 'pending'], JSON.stringify(first.body));
    assert.equal(await registry.read(first.body.asset_pubkey), undefined);
    await bob.stop();
    proxy.heal();
    await bob.start();
    await happens('the asset', () => registry.read(first.body.asset_pubkey));
    const end = await happens('the registration', async () => {
      const { body } = await bob.post('/registry/8004/register-local');
      assert.equal(body.signature, first.body.signature);
      return body.status === 'pending' ? undefined : body;
    });
    assert.equal(end.asset_pubkey, first.body.asset_pubkey);
  });

  it('does not register a key that somebody registered elsewhere', async () => {
    const asset = await registry.add(carol.id);
    const answer = await carol.post('/registry/8004/register-local');
    assert.deepEqual([answer.status, answer.body.asset_pubkey], [409, asset], JSON.stringify(answer.body));
  });

  it('takes ten in a minute from one address, and then asks for a minute', async () => {
    const owner = Keypair.generate().publicKey.toBase58();
    mesh.advance(61);
    for (let call = 1; call <= 10; call++) assert.equal((await prepare(owner)).status, 200, `call ${call}`);
    const refused = await prepare(owner);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'], JSON.stringify(refused.body));
    mesh.advance(30);
    assert.equal((await prepare(owner)).status, 429, 'half a minute frees nothing');
    mesh.advance(31);
    assert.equal((await prepare(owner)).status, 200);
  });
});

function replaced(message: Uint8Array, owner: Keypair, thief: Keypair): Uint8Array {
  const copy = Buffer.from(message);
  Buffer.from(thief.publicKey.toBytes()).copy(copy, copy.indexOf(Buffer.from(owner.publicKey.toBytes())));
  return copy;
}
