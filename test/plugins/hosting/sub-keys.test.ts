import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../../adapters/index.ts';
import { BootError, type RunningNode } from '../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { Store } from '../../../core/internal-services.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { sodium } from '../../../core/platform/sodium.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { agentSigner } from '../../../core/protocol/signer/agent-signer.ts';
import { sessions } from '../../../plugins/hosting/records.ts';
import { seal, unseal } from '../../../plugins/hosting/sealed.ts';
import { SubKeys } from '../../../plugins/hosting/sub-keys.ts';
import { decrypt, encrypt, hchacha20 } from '../../../plugins/hosting/xchacha.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { Guest } from './support/hosted.ts';

const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');

describe('the encryption of hosted keys', () => {
  it('derives the key of a nonce as the draft of XChaCha20 does (2.2.1)', () => {
    const key = bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f');
    const nonce = Buffer.concat([bytes('000000090000004a0000000031415927'), Buffer.alloc(8)]);
    assert.equal(
      hchacha20(key, nonce).toString('hex'),
      '82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc',
    );
  });

  it('encrypts as the draft of XChaCha20-Poly1305 does (A.3.1)', () => {
    const plain = Buffer.from(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
    );
    const associated = bytes('50515253c0c1c2c3c4c5c6c7');
    const key = bytes('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f');
    const nonce = bytes('404142434445464748494a4b4c4d4e4f5051525354555657');
    const closed = encrypt(key, nonce, plain, associated);
    assert.equal(
      closed.toString('hex'),
      bytes(`bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39
        ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e
        c0875924c1c7987947deafd8780acf49`).toString('hex'),
    );
    assert.deepEqual(decrypt(key, nonce, closed, associated), plain);
  });

  it('agrees with libsodium on any text', function () {
    const library = sodium as any;
    if (!library?.crypto_aead_xchacha20poly1305_ietf_encrypt) return this.skip();
    for (let length = 0; length < 200; length += 7) {
      const [key, nonce, plain, associated] = [randomBytes(32), randomBytes(24), randomBytes(length), randomBytes(9)];
      const closed = Buffer.alloc(length + 16);
      library.crypto_aead_xchacha20poly1305_ietf_encrypt(closed, plain, associated, null, nonce, key);
      assert.deepEqual(encrypt(key, nonce, plain, associated), closed);
    }
  });

  it('opens nothing with another key, under another name, or with a bit changed', () => {
    const key = randomBytes(32);
    const secret = randomBytes(32);
    const sealed = seal(key, secret, 'ann', systemRandom);
    assert.deepEqual(unseal(key, sealed, 'ann'), secret);
    assert.equal(unseal(key, sealed, 'ben'), undefined);
    assert.equal(unseal(randomBytes(32), sealed, 'ann'), undefined);
    const whole = Buffer.from(sealed, 'base64');
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      assert.equal(unseal(key, changed.toString('base64'), 'ann'), undefined, `byte ${at}`);
    }
    for (let length = 0; length < whole.length; length += 9)
      assert.equal(unseal(key, whole.subarray(0, length).toString('base64'), 'ann'), undefined);
  });

  it('makes signers that sign and open as the key itself, and refuses the seed of another agent', () => {
    const keys = new SubKeys(randomBytes(32), { signerOf: agentSigner }, systemRandom);
    const ann = keys.make();
    const ben = keys.make();
    assert.notEqual(ann.id, ben.id);
    const again = keys.open(ann.id, ann.sealed);
    assert.deepEqual(again.key, ann.signer.key);
    assert.deepEqual(again.sign(Buffer.from('text')), ann.signer.sign(Buffer.from('text')));
    assert.throws(() => keys.open(ben.id, ann.sealed), /is damaged/);
  });
});

describe('the key that hosted keys are encrypted with', function () {
  this.timeout(60_000);
  let dir = '';
  let node: RunningNode | undefined;
  const file = () => join(dir, 'data', 'plugins', 'hosting', 'sub-keys.key');
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-keys-'));
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await rm(dir, { recursive: true, force: true });
  });

  async function start(config: object = {}): Promise<RunningNode> {
    node = await startNode({
      parts: { adapters, plugins, standard },
      log: silentLog,
      grace: 500,
      config: {
        folder: dir,
        value: {
          listen: '127.0.0.1:0',
          dataDir: join(dir, 'data'),
          storage: { use: 'lowdb' },
          network: { id: 'keys' },
          plugins: { hosting: { hostAgents: true, ...config } },
        },
      },
    });
    return node;
  }
  async function stopped(): Promise<void> {
    assert.deepEqual(await node?.stop(), []);
    node = undefined;
  }
  async function refusal(config: object = {}): Promise<string> {
    const error = await start(config).then(
      () => assert.fail('it started'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BootError, String(error));
    return error.message;
  }
  const registered = () => Guest.register(() => ({ url: node!.url, secret: node!.apiSecret }));

  it('is a file for its owner alone; lost, changed or open to others it stops the start, with the remedy', async () => {
    await start();
    const ann = await registered();
    await stopped();
    const text = await readFile(file(), 'utf8');
    assert.match(text, /^[0-9a-f]{64}\n$/);

    await rename(file(), `${file()}.away`);
    assert.match(await refusal(), /sub-keys\.key is missing.*restore it from a backup/);
    await assert.rejects(readFile(file()), /ENOENT/);
    await writeFile(file(), `${'0'.repeat(64)}\n`, { mode: 0o600 });
    assert.match(await refusal(), /sub-keys\.key is not the file.*restore it from a backup/);
    await writeFile(file(), 'short\n', { mode: 0o600 });
    assert.match(await refusal(), /sub-keys\.key is damaged/);
    await rename(`${file()}.away`, file());
    await chmod(file(), 0o644);
    assert.match(await refusal(), /can be read by others; run chmod 600/);
    await chmod(file(), 0o600);
    assert.match(await refusal({ passphrase: 'correct horse battery' }), /take plugins\.hosting\.passphrase out/);

    await start();
    assert.equal((await ann.call('GET /hosted/ping')).status, 200);
    await ann.does('GET /hosted/deals');
  });

  it('is made of a passphrase, which has to be the same at every start', async () => {
    await start({ passphrase: 'correct horse battery' });
    const ann = await registered();
    await assert.rejects(readFile(file()), /ENOENT/);
    await stopped();
    assert.match(await refusal(), /give plugins\.hosting\.passphrase/);
    assert.match(await refusal({ passphrase: 'correct horse batterz' }), /is not the one/);
    await start({ passphrase: 'correct horse battery' });
    await ann.does('GET /hosted/session');
    await ann.does('GET /hosted/deals');
  });

  it('stops the start at a stored key that is damaged, and names the agent', async () => {
    await start();
    const ann = await registered();
    const space = node!.get(Store).space('hosting');
    const session = (await space.get(sessions.ref(ann.id)))!;
    const sealed = Buffer.from(session.sealed_b64, 'base64');
    sealed[40]! ^= 1;
    await space.put(sessions.ref(ann.id), { ...session, sealed_b64: sealed.toString('base64') });
    await stopped();
    const message = await refusal();
    assert.ok(message.includes(`the stored key of agent ${ann.id} is damaged`), message);
  });

  it('stays in the process: neither the store nor any answer has a seed', async () => {
    await start();
    const ann = await registered();
    const space = node!.get(Store).space('hosting');
    const { sealed_b64, token_hash } = (await space.get(sessions.ref(ann.id)))!;
    assert.equal(token_hash, createHash('sha256').update(ann.token).digest('hex'));
    const seed = unseal(bytes((await readFile(file(), 'utf8')).trim()), sealed_b64, ann.id)!;
    assert.deepEqual(agentSigner(seed).key.length, 32);
    const answers = await Promise.all(
      ['GET /hosted/session', 'GET /hosted/deals', 'GET /hosted/inbox', 'POST /hosted/session/rotate'].map((line) =>
        ann.does(line),
      ),
    );
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      assert.ok(
        !text.includes(sealed_b64) && !text.includes(seed.toString('hex')) && !text.includes(seed.toString('base64')),
      );
    }
  });
});
