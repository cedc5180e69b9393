import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { describeReport } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { freePort } from '../support/mesh-process.ts';
import { mesh as run } from './terminal.ts';

describe('a deal driven by mesh commands', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], usdc: { alice: '100' } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const at = (who: Member) => ['--url', who.url, '--secret', who.secret];
  /** What a command says that works. */
  async function said(who: Member, ...args: string[]): Promise<string> {
    const { code, out, error } = await run([...args, ...at(who)]);
    assert.equal(code, 0, `mesh ${args.join(' ')}: ${error}`);
    return out;
  }
  const proposed = async (...terms: string[]): Promise<string> => {
    const out = await said(alice, 'propose', bob.id, 'Count the words.', '--amount', '1.5', '--json', ...terms);
    const { conversation_id } = JSON.parse(out);
    await bob.dealWhen(conversation_id, 'proposed');
    return conversation_id;
  };
  const lockedBy = async (who: Member, deal: string) => {
    await who.dealWhen(deal, ({ escrow }) => escrow.locked_at !== undefined);
  };
  const handedOver = async (...what: string[]): Promise<string> => {
    const deal = await proposed('--no-escrow');
    await said(bob, 'accept', deal);
    await said(bob, 'deliver', deal, ...what);
    await alice.dealWhen(deal, 'delivered');
    return deal;
  };
  const delivered = async (...what: string[]): Promise<string> => {
    const deal = await proposed();
    await said(bob, 'accept', deal);
    await alice.dealWhen(deal, 'accepted');
    await said(alice, 'lock', deal);
    await lockedBy(bob, deal);
    await said(bob, 'deliver', deal, ...what);
    await alice.dealWhen(deal, ({ state, escrow }) => state === 'delivered' && escrow.delivered_at !== undefined);
    return deal;
  };

  it('goes from the offer to the rating; each step names the command of the next', async () => {
    const deal = await proposed();
    const offer = await said(bob, 'deals', deal);
    assert.match(offer, /^money +to be locked after an ACCEPT, with a bond of 0\.75 USDC$/m);
    assert.match(offer, /^risk +You never pay USDC\.$/m);
    assert.match(offer, new RegExp(`^Next:\n  mesh accept ${deal} +accepts 1\\.5 USDC$`, 'm'));
    assert.match(offer, new RegExp(`^ {2}mesh reject ${deal} `, 'm'));

    const accepted = await said(bob, 'accept', deal, '--amount', '1.5');
    assert.match(accepted, new RegExp(`^Accepted 1\\.5 USDC with ${alice.id}\\. .*; the deal is accepted\\.$`, 'm'));
    assert.match(accepted, /^The requester has not locked the money yet; deliver once/m);
    assert.doesNotMatch(accepted, /mesh deliver/);
    await alice.dealWhen(deal, 'accepted');

    const open = await said(alice, 'deals', deal);
    assert.match(open, /^money +not locked yet; the requester locks it with a bond of 0\.75 USDC$/m);
    assert.match(open, new RegExp(`^Next:\n  mesh lock ${deal} +locks 1\\.5 USDC and a bond of 0\\.75$`, 'm'));
    const lock = await said(alice, 'lock', deal);
    assert.match(lock, /^Locked 1\.5 USDC and a bond of 0\.75 in transaction \w{60,}\. The deal is accepted\.$/m);
    assert.doesNotMatch(lock, /mesh release/, 'nothing was delivered');
    assert.match(await said(alice, 'deals', deal), /^money +locked with a bond of 0\.75 USDC since 20/m);

    await lockedBy(bob, deal);
    assert.match(await said(bob, 'deals', deal), new RegExp(`^  mesh deliver ${deal} TEXT`, 'm'));
    assert.match(await said(bob, 'deliver', deal, 'Three words.'), /^Delivered\. /);
    await alice.dealWhen(deal, ({ state, escrow }) => state === 'delivered' && escrow.delivered_at !== undefined);
    const arrived = await said(alice, 'deals', deal);
    assert.match(arrived, new RegExp(`^Next:\n  mesh inbox ${deal} +shows what was delivered$`, 'm'));
    assert.match(arrived, new RegExp(`^  mesh release ${deal} `, 'm'));
    assert.match(arrived, new RegExp(`^  mesh dispute ${deal} `, 'm'));
    assert.match(await said(alice, 'inbox', deal), /^Three words\.$/m);

    const released = await said(alice, 'release', deal);
    assert.match(released, /^Released in transaction \w{60,}\. The deal is settled\.$/m);
    assert.match(released, new RegExp(`^  mesh feedback ${deal} SCORE `, 'm'));
    assert.match(await said(alice, 'deals', deal), /^money +was locked and is released$/m);
    assert.match(await said(alice, 'feedback', deal, '80'), new RegExp(`^Rated ${bob.id} \\+80\\. `));
    await bob.dealWhen(deal, 'settled');
    assert.match(await said(bob, 'feedback', deal, '-5'), new RegExp(`^Rated ${alice.id} -5\\. `));
  });

  it('is countered, refused, withdrawn, disputed, contested, given back or paid', async () => {
    const countered = await proposed();
    assert.match(await said(bob, 'counter', countered, '--amount', '2'), /^Asked for 2 USDC\. /);
    await alice.dealWhen(countered, 'countered');
    assert.match(await said(alice, 'reject', countered, '--reason', 'Too much.'), /^Refused the offer\. /);
    const withdrawn = await proposed();
    assert.match(await said(alice, 'reject', withdrawn), /^Withdrew the offer\. /);

    const disputed = await delivered('Four words.');
    assert.match(await said(alice, 'dispute', disputed, '--offer-bps', '2500'), /^Objected in transaction /);
    await bob.dealWhen(disputed, 'disputed');
    assert.match(await said(bob, 'deals', disputed), new RegExp(`^  mesh contest ${disputed} `, 'm'));
    assert.match(await said(bob, 'contest', disputed), /^Refused the share that was offered in transaction /);

    const given = await delivered('Five words.');
    assert.match(await said(bob, 'refund', given), /^Gave back what was locked in transaction .*refunded\.$/m);

    const unlocked = await handedOver('Six words.');
    assert.match(await said(alice, 'deals', unlocked), /^money +to be paid after the delivery, without escrow$/m);
    assert.match(
      await said(alice, 'pay', unlocked),
      /^Paid 1\.5 USDC in transaction \w{60,}\. The deal is settled\.$/m,
    );
  });

  it('says what does not fit before anything is sent, and the node’s refusals without their HTTP', async () => {
    const deal = await proposed();
    for (const [args, said] of [
      [['accept', 'x'], /^CONVERSATION takes a deal's id of 32 hex digits, not x; mesh deals lists them$/],
      [['counter', deal, '--amount', '0.0000001'], /^--amount takes USDC with at most 6 decimals.*not 0\.0000001$/],
      [['propose', bob.id, 'text', '--amount', '0.0000001'], /the smallest being 0\.000001/],
      [['deliver', deal], /^give either TEXT or --file FILE$/],
      [['deliver', deal, '--file', join(mesh.folder, 'none')], /^--file .* cannot be read: ENOENT/],
      [['feedback', deal, '101'], /^SCORE takes a whole number from -100 to 100, not 101$/],
      [['dispute', deal, '--offer-bps', '10001'], /^--offer-bps takes a whole number from 0 to 10000/],
      [['stake', 'add', '0.0000001'], /^USDC takes USDC with at most 6 decimals/],
    ] as const) {
      const { code, error } = await run([...args, ...at(alice)]);
      assert.deepEqual([code, said.test(error)], [2, true], error);
    }
    const refused = await run(['release', deal, ...at(alice)]);
    assert.equal(refused.code, 1);
    assert.doesNotMatch(refused.error, /POST|escrow\/approve/);
  });

  it('shows a delivery as text or by size and hash, and writes it into a new file only', async () => {
    const bytes = new Uint8Array([0, 1, 2, 255]);
    const source = join(mesh.folder, 'bytes');
    await writeFile(source, bytes);
    const binary = await handedOver('--file', source);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const shown = await said(alice, 'inbox', binary);
    assert.match(
      shown,
      new RegExp(
        `^4 bytes of application/octet-stream, SHA-256 ${sha256}\nTo keep it: mesh inbox \\d+ --save FILE$`,
        'm',
      ),
    );
    const target = join(mesh.folder, 'kept');
    const saved = JSON.parse(await said(alice, 'inbox', binary, '--save', target, '--json'));
    assert.deepEqual([saved.saved, saved.content.bytes, saved.content.sha256], [target, 4, sha256]);
    assert.deepEqual(new Uint8Array(await readFile(target)), bytes);
    assert.equal((await stat(target)).mode & 0o777, 0o600);
    const again = await run(['inbox', binary, '--save', target, ...at(alice)]);
    assert.deepEqual([again.code, /is there already; name another file$/.test(again.error)], [1, true]);
    assert.match(await said(alice, 'inbox'), /^\d+ +DELIVER +\S+ +\S+ +4 bytes of application\/octet-stream$/m);
  });

  it('shows a long or crafty text bounded and without what moves the cursor, also above 48 KiB', async () => {
    const source = join(mesh.folder, 'text');
    await writeFile(source, `\u001B[2Jred\u202Eder\n${'word '.repeat(20_000)}`);
    const deal = await handedOver('--file', source);
    const shown = await said(alice, 'inbox', deal);
    assert.match(shown, /^\\u001b\[2Jred\\u202eder$/m);
    assert.match(shown, /^\.\.\. \d+ more characters; all of it: mesh inbox \d+ --save FILE$/m);
    assert.ok(shown.length < 6_000, `${shown.length}`);
    const target = join(mesh.folder, 'whole');
    await said(alice, 'inbox', deal, '--save', target);
    assert.deepEqual(await readFile(target), await readFile(source));
    for (const [args, code, what] of [
      [['inbox', '--save', target], 2, /^--save needs WHICH/],
      [['inbox', 'x'], 2, /^WHICH takes a cursor of mesh inbox, or a conversation/],
      [['inbox', '999999'], 1, /^There is no 999999 in the inbox; mesh inbox lists what is\.$/],
      [['inbox', '0'.repeat(32)], 1, /^Nothing was delivered in 0+ /],
    ] as const) {
      const refused = await run([...args, ...at(alice)]);
      assert.deepEqual([refused.code, what.test(refused.error)], [code, true], refused.error);
    }
  });

  it('status names the aggregators that the node uses, and says of an empty wallet what it needs', async () => {
    const full = await said(alice, 'status');
    assert.match(full, new RegExp(`^ {2}aggregator +${mesh.aggregatorNode.url}, reached$`, 'm'));
    assert.doesNotMatch(full, /^ {2}wallet: /m);
    const away = `http://127.0.0.1:${await freePort()}`;
    const eve = await startNode({
      parts: { adapters, plugins: {} },
      log: silentLog,
      config: {
        folder: mesh.folder,
        value: {
          ...{ listen: '127.0.0.1:0', dataDir: './eve', network: { id: 'mesh-tests' }, storage: { use: 'memory' } },
          ledger: { rpcUrls: [mesh.localnet.url], ...mesh.localnet.settlement },
          mesh: { aggregators: [away] },
        },
      },
    });
    try {
      const { out } = await run(['status', '--url', eve.url]);
      const { address } = JSON.parse((await run(['identity', '--url', eve.url, '--json'])).out);
      const empty = `wallet: ${address} holds 0 SOL and 0 USDC: without SOL for fees it can lock, pay, stake and lease nothing`;
      assert.ok(out.includes(`  ${empty} (on a localnet: mesh faucet ${address} --sol 1 --usdc 100; `), out);
      assert.ok(describeReport(eve.report).includes(empty));
      assert.match(out, new RegExp(`^ {2}aggregator +${away}, not reached$`, 'm'));
    } finally {
      await eve.stop();
    }
    const own = await proposed();
    assert.doesNotMatch(await said(alice, 'status'), new RegExp(`deal ${own}`), 'it waits for the other side');
  });
});
