import assert from 'node:assert/strict';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { ledgerEvents } from '../../../core/aggregator/store/ledger.ts';
import { Store } from '../../../core/internal-services.ts';
import { signDeal, type TestAgent } from '../../aggregator/support/agent.ts';
import { PluginAggregator } from '../support/aggregator.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';
import { isWhole } from './support/whole-page.ts';

const program = findChromium();
const NAME = `"><img src=x onerror=alert(1)>'`;
const STRANGER = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
/** A fact of the server in the main part of any of these pages. */
const FACT = 'main :is(.score, .sum, .figures dd, td, .chain li)';

/** Remembers, for each frame from the first with a fact on, whether one is seen in it. */
const WATCHING = `(() => {
  window.frames_ = [];
  const look = () => {
    const is = [...document.querySelectorAll(${JSON.stringify(FACT)})].some((one) => one.checkVisibility());
    if (is || window.frames_.length > 0) window.frames_.push(is);
    requestAnimationFrame(look);
  };
  look();
})()`;

(program ? describe : describe.skip)(
  `facts that a document of the explorer has${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(150_000);
    let aggregator: PluginAggregator;
    let browser: Browser;
    let front: Front;
    let page: Page;
    let ben: TestAgent;
    let pages: readonly (readonly [path: string, read: string, drawn: string])[];

    before(async () => {
      [aggregator, browser] = await Promise.all([PluginAggregator.start(), Browser.start(program!)]);
      const ann = aggregator.agent('ann');
      ben = aggregator.agent('ben');
      const deal = signDeal(ann, ben, aggregator.clock.now());
      const talk = deal.conversation;
      const items = [ann.beacon('ann').whole, ben.beacon(NAME).whole, deal.propose.receipt, deal.accept.receipt];
      const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
      for (const { status } of body.results) assert.equal(status, 'accepted');
      const facts = { conversation_id: talk, requester: ann.id, provider: ben.id, amount: '9000000' };
      const event = { name: 'escrow_locked', signature: null, ordinal: 0, slot: 7, at: aggregator.clock.now(), facts };
      await aggregator.node.get(Store).space(SPACE).append(ledgerEvents, event);
      front = await Front.start(aggregator.url, '/mesh/');
      pages = [
        ['agents', '/agents?limit=50&offset=0', NAME],
        [`agents/${ben.id}`, `/reputation/${ben.id}`, NAME],
        [`conversations/${talk}`, `/conversations/${talk}?limit=200`, 'hired'],
        ['analytics', '/stats/network', 'Over time'],
        ['', '/stats/network', 'Best supported'],
      ];
    });
    after(async () => {
      await front?.stop();
      await browser?.stop();
      await aggregator?.stop();
    });
    beforeEach(async () => {
      page = await browser.page();
      await page.look({ width: 360, height: 740 });
      front.fault = () => undefined;
    });
    afterEach(() => page.close());
    const said = (text: string) =>
      page.until(`document.querySelector('main').innerText.includes(${JSON.stringify(text)})`);

    it('are taken over below a prefix without a frame that lacks them, and not read again', async () => {
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCHING });
      for (const [path, read, drawn] of pages) {
        page.asked.length = 0;
        await page.go(front.url + path);
        await said(drawn);
        await new Hands(page).settled();
        const frames = await page.run<boolean[]>('window.frames_');
        assert.ok(frames.length > 1 && !frames.includes(false), `${path}: ${frames}`);
        assert.ok(!page.asked.some((url) => url.endsWith(`/mesh${read}`)), path);
        assert.equal(await page.run("document.querySelectorAll('#content').length"), 1, path);
        assert.equal(await page.run('meshSent.size'), 0, path);
      }
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
    });

    for (const [name, look] of [
      ['on a desk', { width: 1280 }],
      ['on a phone', { width: 360, height: 740 }],
    ] as const)
      it(`are a page without a fault before its script has come, ${name}`, async () => {
        front.fault = (path) => (path === '/explorer/app.js' ? 'hang' : undefined);
        await page.look(look);
        for (const [path] of pages) {
          await page.send('Page.navigate', { url: front.url + path });
          await page.until(`location.href === ${JSON.stringify(front.url + path)} && document.querySelector('.foot')`);
          assert.ok(
            await page.run(
              `[...document.querySelectorAll(${JSON.stringify(FACT)})].every((one) => one.checkVisibility())`,
            ),
          );
          assert.ok(!(await page.text()).includes('alert(1)'), path);
          await isWhole(page, path, look);
        }
        assert.deepEqual(page.problems, []);
      });

    it('are hidden where there are none, and the page says what it reads itself', async () => {
      for (const [path, text] of [
        ['agents?sort=recent', 'Heard of last'],
        ['ledger?before=1', 'Steps of the settlement program'],
        [`agents/${STRANGER}`, 'has not heard of that agent'],
        [`conversations/${'0'.repeat(32)}`, 'has not heard of that conversation'],
      ] as const) {
        await page.go(front.url + path);
        await said(text);
        await new Hands(page).settled();
        assert.equal(await page.run("document.querySelectorAll('h1').length"), 1, path);
      }
    });

    it('keep the focus that went to them over the link that skips the head', async () => {
      const source =
        "document.addEventListener('readystatechange', () => document.readyState === 'interactive' && document.querySelector('#content').focus())";
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
      await page.go(`${front.url}agents`);
      await said(NAME);
      await new Hands(page).settled();
      assert.equal(await page.run('document.activeElement.id'), 'content');
    });
  },
);
