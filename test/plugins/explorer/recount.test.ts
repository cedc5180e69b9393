import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
// @ts-expect-error: builds are plain JavaScript.
import * as recount from '../../../clients/recount/bundle.js';
import { lineOf, readLine } from '../../../core/aggregator/evidence/document.ts';
import { verifyEvidence } from '../../../core/aggregator/evidence/verify.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { openStore } from '../../../core/storage/store.ts';
import { delivered } from '../../support/deals.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';

const program = findChromium();
const PROBLEM = /status of 404/;

(program ? describe : describe.skip)(
  `a score counted again in a browser${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(120_000);
    let mesh: Mesh<'ann' | 'ben'>;
    let browser: Browser;
    let page: Page;
    let front: Front;
    let folder = '';
    let evidence = '';
    let script = '';

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'recount-'));
      const own = {
        aggregator: {
          core: { evidence: { keep: true }, ingest: { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 } },
        },
      };
      [mesh, browser] = await Promise.all([startMesh({ nodes: ['ann', 'ben'], own }), Browser.start(program!)]);
      await recount.bundleRecount(folder);
      script = await readFile(join(folder, 'recount.js'), 'utf8');
      const { ann, ben } = mesh.nodes;
      const conversation_id = await delivered(ann, ben, { amount_usdc: '0' });
      await ann.client.feedback({ conversation_id, score: 90 });
      const path = `${mesh.aggregatorNode.url}/reputation/${ben.id}/evidence?limit=5000`;
      evidence = await happens('the evidence has a rating that is scored', async () => {
        const text = await (await fetch(path)).text();
        const head = readLine(text.split('\n')[0]!).value;
        return head?.type === 'head' && head.score > 0 ? text : undefined;
      });
      front = await Front.start(mesh.aggregatorNode.url);
      page = await browser.page();
      await page.look({});
    });
    after(async () => {
      await front?.stop();
      await browser?.stop();
      await mesh?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('holds where everything is shown', async () => {
      serve(evidence);
      await press();
      await page.until("document.querySelector('[data-recount=holds]')");
      const { score } = await mesh.aggregator.reputation(mesh.nodes.ben.id).then((found) => found!);
      assert.match(await page.text('[data-recount]'), new RegExp(`Recomputed here from 1 rating: ${score}\\.`));
      assert.deepEqual(
        page.problems.filter((text) => !PROBLEM.test(text)),
        [],
      );
    });

    it('differs where one rating is withheld, although the rest is numbered and digested anew', async () => {
      serve(await withoutRating());
      await press();
      await page.until("document.querySelector('[data-recount=differs]')");
      assert.match(await page.text('[data-recount]'), /Differs: we get 0, this server says [1-9]/);
      assert.equal(await page.run("document.querySelectorAll('[data-recount] .ok').length"), 0);
    });

    it('says so where a line is damaged, where there is no evidence, and where the program is not served', async () => {
      serve(evidence.replace('"kind":"item"', '"kind":"itum"'));
      await press();
      await page.until("document.querySelector('[data-recount=differs]')");
      assert.match(await page.text('[data-recount]'), /is damaged/);
      serve('no evidence\n');
      await press();
      await page.until("document.body.innerText.includes('The answer is no evidence.')");
      serve(evidence, '');
      await press();
      await page.until("document.body.innerText.includes('mesh verify-score does')");
    });

    it('checks signatures without WebCrypto too, as on plain HTTP from another machine, by a program of at most 12 kB', async () => {
      const signatures = await readFile(join(folder, 'signatures.js'), 'utf8');
      assert.ok(gzipSync(signatures).length < 12_000, `${gzipSync(signatures).length} bytes`);
      const read = async (path: string): Promise<any> => (await fetch(mesh.aggregatorNode.url + path)).json();
      const [{ conversation_id: conversation }] = await read(`/activity?agent_id=${mesh.nodes.ben.id}&type=DELIVER`);
      const poor = await browser.page();
      try {
        await poor.look({});
        const source = "Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });";
        await poor.send('Page.addScriptToEvaluateOnNewDocument', { source });
        const opens = () => poor.go(`${front.url}conversations/${conversation}`);
        let change = 0;
        const places = (path: string) => path.includes('/envelopes?');
        const lists = new Map<string, any[]>();
        front.fault = (path) => {
          if (path === '/recount/signatures.js')
            return signatures
              ? { status: 200, body: signatures, type: 'text/javascript' }
              : { status: 404, body: '{}' };
          if (!places(path) || change === 0) return undefined;
          const rows = lists.get(path.split('?')[0]!) ?? [];
          return { status: 200, body: JSON.stringify(rows) };
        };
        await opens();
        await poor.until("/^\\d+ of \\d+ signatures hold$/m.test(document.querySelector('main').innerText)");
        const [, held, all] = /^(\d+) of (\d+) signatures hold$/m.exec(await poor.text('main'))!;
        assert.ok(Number(held) > 1 && held === all, `${held} of ${all}`);
        assert.ok(poor.asked.some((url) => url.endsWith('/recount/signatures.js')));
        for (const url of new Set(poor.asked.filter(places))) {
          const path = new URL(url).pathname;
          const changed = (await read(`${path}?limit=1000`)).map((row: any) => {
            const bytes = Buffer.from(row.bytes_b64, 'base64');
            bytes[bytes.length - 9]! ^= 1;
            return { ...row, bytes_b64: bytes.toString('base64') };
          });
          lists.set(path, changed);
        }
        change = 1;
        await opens();
        await poor.until("/^0 of \\d+ signatures hold$/m.test(document.querySelector('main').innerText)");
        assert.equal(await poor.run("document.querySelectorAll('.chain .ok').length"), 0);
      } finally {
        await poor.close();
      }
    });

    function serve(text: string, code = script): void {
      front.fault = (path) => {
        if (path.startsWith('/recount/'))
          return code ? { status: 200, body: code, type: 'text/javascript' } : { status: 404, body: '{}' };
        return path.includes('/evidence?') ? { status: 200, body: text, type: 'application/x-ndjson' } : undefined;
      };
    }

    async function press(): Promise<void> {
      await page.go(`${front.url}agents/${mesh.nodes.ben.id}`);
      const button = "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Recompute it here')";
      await page.until(button);
      await page.run(`${button}.click()`);
    }

    /** The evidence as a server makes it that leaves out the one line without which a rating less counts. */
    async function withoutRating(): Promise<string> {
      const lines = evidence.trimEnd().split('\n');
      for (let left = lines.length - 1; left > 0; left -= 1) {
        const text = lines
          .filter((_, at) => at !== left)
          .map((line, at) => {
            const { value } = readLine(line);
            return lineOf(value!.type === 'fact' ? { ...value!, id: at } : value!);
          })
          .join('');
        const { ratings } = await verifyEvidence(text, async (clock) => {
          const store = await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate: () => [] });
          return store.space('test');
        });
        if (ratings === 0) return text;
      }
      throw new Error('no line is a rating');
    }
  },
);
