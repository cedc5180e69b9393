import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { characterOf } from '../../../core/cli/dev/town/character.ts';
import { PEOPLE } from '../../../core/cli/dev/town/people.ts';
import { happens } from '../../support/happens.ts';
import { freePort, MeshProcess } from '../../support/mesh-process.ts';
import { processesOfGroup } from '../../support/process-group.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();
const NODES = PEOPLE.length;
const MERCHANT = 'atlas-geocoder';
const PRICE = 9;
const DEVICES = [
  ['with a mouse', { width: 1280, height: 900 }],
  ['on a phone', { width: 360, height: 740, touch: true }],
] as const;

/** Somebody who has read nothing opens the URL that `npm start` prints. */
(program ? describe : describe.skip)(`a first visit${program ? '' : ' (no Chromium is installed)'}`, function () {
  this.timeout(400_000);
  let town: MeshProcess;
  let browser: Browser;
  let folder = '';
  let explorer = '';
  let console_ = { url: '', secret: '' };
  let page: Page;
  let hands: Hands;
  /** Whether the next test goes on in the page of this one. */
  let isKept = false;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first-visit-'));
    const first = await freePort(NODES + 3);
    const ports = ['--port', `${first}`, '--aggregator-port', `${first + NODES}`, '--rpc-port', `${first + NODES + 1}`];
    town = new MeshProcess(['start', '--', '--town', '--data', folder, ...ports], { by: 'npm' });
    browser = await Browser.start(program!);
    await town.until(() => /asks for the secret in \S+/.test(town.out), 'the town is ready', 180_000);
    explorer = /Open (http:\S+) in a browser/.exec(town.out)![1]!;
    const [, url, file] = /The console of the requester is (http:\S+) and asks for the secret in (\S+)/.exec(town.out)!;
    console_ = { url: url!, secret: (await readFile(file!, 'utf8')).trim() };
    await town.until(() => /2 deals settled so far/.test(town.out), 'two deals are settled', 180_000);
  });
  after(async () => {
    await browser?.stop();
    if (town) {
      process.kill(-town.pid, 'SIGINT');
      await town.ended;
      assert.deepEqual(processesOfGroup(town.pid), []);
    }
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => isKept || page.close());

  const read = async (path: string): Promise<any> => (await fetch(new URL(path, explorer))).json();
  const said = () => page.text('main');

  for (const [device, look] of DEVICES) {
    const isPhone = 'touch' in look;

    async function opens(url: string): Promise<void> {
      isKept = false;
      page = await browser.page();
      await page.look(look);
      hands = new Hands(page, { touch: isPhone });
      await page.go(url);
    }
    async function leads(to: string): Promise<void> {
      await page.until("document.querySelector('#pill').innerText === 'live'");
      if (isPhone) await hands.clicks('Menu');
      await hands.clicks(to, '#menu');
    }
    let found: { readonly agent_id: string; readonly name: string } | undefined;
    /** An agent of the town that was rated, found by what it offers. */
    async function findsAgent(): Promise<{ agent_id: string; name: string }> {
      const [rated] = await happens(
        'somebody has a rating that counts',
        async () => {
          const rows: any[] = await read('leaderboard?limit=5');
          const some = rows.filter(({ feedback_count: ratings, score }) => ratings > 0 && score !== 0);
          return some.length > 0 ? some : undefined;
        },
        180_000,
      );
      const capability = PEOPLE.find(({ name }) => name === rated.name)?.capabilities[0];
      await opens(explorer);
      await leads('Agents');
      await hands.sees('Best supported first');
      await hands.settled();
      if (capability) {
        await hands.clicks(new RegExp(`^${capability}\\s+\\d+$`), '[aria-label=Capabilities]');
        await page.until(`location.search.includes(${JSON.stringify(capability)}) && document.querySelector('td a')`);
        await hands.settled();
      }
      await hands.clicks(rated.name, 'table');
      await page.until(
        `location.pathname.endsWith(${JSON.stringify(rated.agent_id)}) && document.querySelector('.score')`,
      );
      await hands.settled();
      return rated;
    }
    async function opensReceipt(): Promise<void> {
      await hands.presses("document.querySelector('[aria-label=Ratings] tbody td:nth-child(4) a')");
      await page.until("location.pathname.includes('/conversations/')");
      await page.until("/^\\d+ of \\d+ signatures? holds?$/m.test(document.querySelector('main').innerText)");
      await hands.clicks('See the bytes', '.chain');
    }
    const fits = async () => {
      const width = await page.run<number>('document.documentElement.scrollWidth');
      if (width <= look.width) return;
      const wide = await page.run<string>(
        `[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > ${look.width}).map((one) => one.outerHTML.slice(0, 120)).join('\\n')`,
      );
      assert.fail(`${width} pixels on a page of ${look.width}:\n${wide}`);
    };

    it(`sees deals happen, ${device}`, async () => {
      await opens(explorer);
      await hands.sees('Agents online');
      await page.until("document.querySelector('#pill').innerText === 'live'");
      assert.match(
        await page.text('.lede'),
        new RegExp(`^${NODES} agents\\. \\d+ deals?, [\\d.,]+ USDC paid from escrow\\.$`),
      );
      assert.match(await said(), /On the ledger: \d+ locked\b.*, \d+ delivered\b.*, \d+ ended/);
      await page.until(
        "document.querySelectorAll('.strip .deal').length > 0 && document.querySelectorAll('#live li').length > 3",
      );
      // Nothing is pressed: an event stands at the top of the feed that was not there.
      const top = await page.text('#live li');
      await page.until(`document.querySelector('#live li').innerText !== ${JSON.stringify(top)}`, 120_000);
      await fits();
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
    });

    it(`finds an agent, and sees why its score is what it is, ${device}`, async () => {
      found = await findsAgent();
      await hands.sees(found.name);
      await hands.sees('Good words');
      await hands.sees('The evidence supports');
      assert.doesNotMatch(await said(), /differs/i);
      await hands.clicks('Recompute it here');
      await page.until("document.querySelector('[data-recount=holds]')", 60_000);
      assert.match(await page.text('[data-recount]'), /Recomputed here from \d+ ratings?: -?\d+\./);
      await fits();
      isKept = true;
    });

    it(`verifies a receipt, ${device}`, async () => {
      if (!isKept) found = await findsAgent();
      isKept = false;
      await opensReceipt();
      await hands.sees('This receipt holds.');
      const [, held, all] = /^(\d+) of (\d+) signatures? holds?$/m.exec(await said())!;
      assert.ok(Number(held) > 0 && held === all, `${held} of ${all}`);
      await fits();
    });

    it(`sees that a receipt was tampered with, ${device}`, async () => {
      const front = await Front.start(explorer);
      try {
        found ??= (await read('leaderboard?limit=1'))[0];
        await opens(`${front.url}agents/${found!.agent_id}`);
        await page.until("document.querySelector('.score')");
        await hands.settled();
        // The page of the agent shows none of these that the lists below lack.
        const { epoch_secs: secs } = await read('network');
        const now = Math.floor(Date.now() / 1_000 / secs);
        const lists = new Map<string, string>();
        for (const { agent_id: id } of await read('agents?limit=20'))
          for (const epoch of [now - 1, now]) {
            const path = `/epochs/${id}/${epoch}/envelopes`;
            const rows = (await read(`${path.slice(1)}?limit=1000`)).map((row: any) => {
              const bytes = Buffer.from(row.bytes_b64, 'base64');
              bytes[bytes.length - 9]! ^= 1;
              return { ...row, bytes_b64: bytes.toString('base64'), verified: true };
            });
            lists.set(path, JSON.stringify(rows));
          }
        front.fault = (path) => {
          const body = lists.get(path.split('?')[0]!);
          return body === undefined ? undefined : { status: 200, body };
        };
        await opensReceipt();
        await hands.sees('This receipt does not hold.');
        assert.match(await said(), /^0 of \d+ signatures? hold/m);
        assert.equal(await page.run("document.querySelectorAll('.chain .ok').length"), 0);
        const colour = (selector: string) =>
          page.run(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);
        assert.equal(await colour('.chain .banner.bad'), 'rgb(168, 40, 29)');
      } finally {
        await front.stop();
      }
    });

    it(`makes a deal, ${device}`, async () => {
      const merchant = PEOPLE.find(({ name }) => name === MERCHANT)!;
      const { answer } = characterOf(merchant, '1');
      const works = Array.from({ length: 50 }, (_, n) => `Where is Ghent, ${n} streets from the river, ${device}?`);
      const work = works.find((one) => answer(one, PRICE) === 'accept')!;
      await opens(console_.url);
      await hands.types('API secret', console_.secret);
      await hands.clicks('Open the console');
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await leads('Peers');
      await page.until(`document.querySelector('main').innerText.includes(${JSON.stringify(MERCHANT)})`);
      await hands.settled();
      await hands.clicks(MERCHANT, 'table');
      await hands.sees('Deals with it');
      await hands.settled();
      await hands.clicks('New deal', 'main');
      await hands.types('The work', work);
      await hands.types('Amount in USDC', String(PRICE));
      await hands.clicks('Send the offer');
      await page.until('/^\\/deals\\/[0-9a-f]{32}$/.test(location.pathname)');
      await hands.clicks('Lock 9.00');
      await hands.sees('This cannot be taken back.');
      await fits();
      await hands.clicks(/^Lock [\d.]+ USDC$/, '.panel');
      await hands.sees('Locked. The provider can begin.');
      await hands.clicks('Release 9.00');
      await hands.clicks('Release 9.00 USDC', '.panel');
      await hands.sees('Released. The provider is paid.');
      await hands.clicks('Rate', 'main');
      await hands.types('Score, from \u2212100 to 100', '80');
      await hands.clicks('Rate', '.panel');
      await hands.sees('Rated. Everybody may read it.');
      await fits();
      const conversation = (await page.run<string>('location.pathname')).slice('/deals/'.length);
      // Everybody sees it: the explorer shows the deal and the rating.
      await page.go(`${explorer}conversations/${conversation}`);
      await page.until(`document.querySelector('h1').innerText.replaceAll('\\n', ' ').includes('for 9.00 USDC')`);
      await happens(
        'the rating is public',
        async () =>
          (await read(`conversations/${conversation}`)).timeline.some(
            ({ activity }: any) => activity?.event_type === 'FEEDBACK' && activity.score === 80,
          ) || undefined,
        60_000,
      );
      for (const asked of page.asked) assert.ok(!asked.includes(console_.secret), asked);
    });
  }
});
