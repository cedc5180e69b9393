import assert from 'node:assert/strict';
import { signDeal, type TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { PluginAggregator } from '../support/aggregator.ts';
import { violationsIn } from './support/axe.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();
/** Ratings on a page of the list. */
const PAGE = 20;

(program ? describe : describe.skip)(
  `the page of an agent${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(90_000);
    let aggregator: PluginAggregator;
    let browser: Browser;
    let page: Page;
    let hands: Hands;
    let ann: TestAgent;
    let ben: TestAgent;
    let last: string;

    before(async () => {
      [aggregator, browser] = await Promise.all([PluginAggregator.start(), Browser.start(program!)]);
      [ann, ben] = [aggregator.agent('ann'), aggregator.agent('ben')];
      await report(ann.beacon('ann').whole, ben.beacon('ben').whole);
      for (let n = 0; n <= PAGE; n += 1) {
        const now = aggregator.clock.now();
        const deal = signDeal(ann, ben, now);
        last = deal.conversation;
        // The last is bad, and the first of all is of the other side.
        const score = n === PAGE ? -40 : 60 + n;
        await report(deal.propose.receipt, deal.accept.receipt, deal.deliver.receipt);
        await report(ann.feedback(ben, deal.conversation, score).whole);
        if (n === 0) await report(ben.feedback(ann, deal.conversation, 75).whole);
      }
      await happens('every rating counts', async () => {
        const rows = await aggregator.read(`/interactions?to=${ben.id}&limit=100`);
        return rows.length === PAGE + 1 || undefined;
      });
    });
    after(async () => {
      await browser?.stop();
      await aggregator?.stop();
    });
    beforeEach(async () => {
      page = await browser.page();
      await page.look({ width: 360, height: 740 });
      hands = new Hands(page);
    });
    afterEach(() => page.close());

    async function report(...items: object[]): Promise<void> {
      const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
      for (const result of body.results) assert.equal(result.status, 'accepted', JSON.stringify(result));
    }
    /** Sections that come later move those below them on a phone, and a click would miss. */
    const opens = async (agent: TestAgent) => {
      await page.go(`${aggregator.url}/agents/${agent.id}`);
      await page.until("document.querySelector('.score')");
      await hands.settled();
      await page.until("!document.querySelector('.agent bdi.mono')");
    };
    const rows = (name: string) =>
      page.run<string[][]>(
        `[...document.querySelectorAll('table')].filter((one) => one.caption.innerText === ${JSON.stringify(name)}).flatMap((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())))`,
      );

    it('shows the ratings it got, newest first, a page at a time, each with who, what for and when', async () => {
      await opens(ben);
      await page.until("document.querySelector('[aria-label=Ratings] tbody tr')");
      await page.until(`document.querySelector('[aria-label=Ratings] tbody').innerText.includes('ann')`);
      const first = await rows('Ratings of this agent');
      assert.equal(first.length, PAGE);
      assert.deepEqual([first[0]![0], first[0]![1], first[0]![2]], ['ann', 'party', '\u221240']);
      assert.deepEqual(first[1]!.slice(0, 3), ['ann', 'party', `+${60 + PAGE - 1}`]);
      assert.ok(await page.run(`document.querySelector('[aria-label=Ratings] tbody .bad').innerText === '\u221240'`));
      const link = await page.run<string>(
        "document.querySelector('[aria-label=Ratings] tbody tr td:nth-child(4) a').href",
      );
      assert.equal(link, `${aggregator.url}/conversations/${last}`);
      await hands.clicks('Older ratings');
      await page.until(`document.querySelectorAll('[aria-label=Ratings] tbody tr').length === ${PAGE + 1}`);
      assert.equal((await rows('Ratings of this agent')).at(-1)![2], '+60');
      assert.equal(
        await page.run("document.querySelector('[aria-label=Ratings]').innerText.includes('Older ratings')"),
        false,
      );
      assert.deepEqual(await violationsIn(page), []);
      // The link leads to the deal, whose signatures the page checks.
      await page.run("document.querySelector('[aria-label=Ratings] tbody tr td:nth-child(4) a').click()");
      await hands.sees('signatures hold');
    });

    it('shows the ratings it gave when they are asked for, and says where there are none', async () => {
      await opens(ben);
      await hands.clicks('Ratings that it gave');
      await page.until(`document.querySelectorAll('[aria-label=Ratings] details tbody tr').length === 1`);
      await page.until(`document.querySelector('[aria-label=Ratings] details tbody').innerText.includes('ann')`);
      assert.deepEqual((await rows('Ratings that this agent gave'))[0]!.slice(0, 3), ['ann', 'party', '+75']);
      const cay = aggregator.agent('cay');
      await report(cay.beacon('cay').whole);
      await opens(cay);
      await hands.sees('No rating of it counts. One counts when a deal of both sides has ended.');
      await hands.sees('No ratings yet: 0 says nothing for or against it.');
      await hands.clicks('Ratings that it gave');
      await hands.sees('It has given no rating that counts.');
    });

    it('shows how fast it last answered with work, and whom, with a link to the deal', async () => {
      const dan = aggregator.agent('dan');
      await report(dan.beacon('dan').whole);
      await opens(dan);
      await hands.sees('First heard of');
      assert.doesNotMatch(await page.text('main'), /last delivered/);
      const deal = signDeal(ann, dan, aggregator.clock.now());
      await report(deal.propose.receipt, deal.accept.receipt, deal.deliver.receipt);
      const { last_round_trip: trip } = await aggregator.read(`/agents/${dan.id}/profile`);
      assert.equal(trip.seconds, 0.002);
      await opens(dan);
      await page.until("document.querySelector('main').innerText.includes('last delivered')");
      await page.until("document.querySelector('[aria-label=\"Who this is\"]').innerText.includes('by ann')");
      const [said, href] = await page.run<[string, string]>(
        `(() => { const one = document.querySelector('[aria-label="Who this is"]'); return [one.innerText, [...one.querySelectorAll('a')].find((link) => link.innerText === 'see').href]; })()`,
      );
      assert.match(said.replaceAll(/\s+/g, ' '), /last delivered 2 ms after it was asked, by ann \(see, \d+ s ago\)/);
      assert.equal(href, `${aggregator.url}/conversations/${deal.conversation}`);
      assert.ok((await page.run('document.documentElement.scrollWidth')) <= 360);
    });

    it('never says that the evidence supports more than the score, though the rank may be above it', async () => {
      const front = await Front.start(aggregator.url);
      front.withholdsFacts = true;
      const reputation = await aggregator.read(`/reputation/${ben.id}`);
      const [row] = await aggregator.read('/agents?limit=1');
      const leader = {
        ...row,
        rank: 1,
        agent_id: ben.id,
        name: 'ben',
        feedback_count: 21,
        score: 59,
        lower_bound: 73.5,
      };
      front.fault = (path) => {
        if (path === `/reputation/${ben.id}`)
          return { status: 200, body: JSON.stringify({ ...reputation, score: 59, lower_bound: 73.5 }) };
        return path.startsWith('/leaderboard') ? { status: 200, body: JSON.stringify([leader]) } : undefined;
      };
      try {
        for (const path of ['', `agents/${ben.id}`]) {
          await page.go(`${front.url}${path}`);
          await hands.sees('at least 59');
          assert.doesNotMatch(await page.text('main'), /at least 73/, path);
          assert.equal(
            await page.run("document.querySelector('svg.evidence').getAttribute('aria-label')"),
            'Score 59, between 59 and 59',
          );
        }
        await hands.sees('Lists rank it at 73.50');
      } finally {
        await front.stop();
      }
    });

    it('shows both keys of an agent that was given another one, each with its seal', async () => {
      const front = await Front.start(aggregator.url);
      const [profile, other] = [await aggregator.read(`/agents/${ben.id}/profile`), ann.id];
      try {
        for (const [member, words] of [
          ['successor', 'This key was replaced and is refused now. The agent goes on under'],
          ['predecessor', 'Before, it had the key'],
        ] as const) {
          front.fault = (path) =>
            path === `/agents/${ben.id}/profile`
              ? { status: 200, body: JSON.stringify({ ...profile, [member]: other }) }
              : undefined;
          await page.go(`${front.url}agents/${ben.id}`);
          await hands.sees(words);
          const place = member === 'successor' ? '.banner' : '[aria-label="Who this is"]';
          await page.until(`document.querySelector('${place} a[title="${other}"] svg.seal.mid')`);
          await hands.settled();
          assert.ok((await page.run('document.documentElement.scrollWidth')) <= 360);
          assert.deepEqual(await violationsIn(page), []);
        }
      } finally {
        await front.stop();
      }
    });

    it('is marked as online in the list, as the totals count it, and the list is cut to those', async () => {
      const front = await Front.start(aggregator.url);
      front.withholdsFacts = true;
      const rows = await aggregator.read('/agents?limit=2&sort=recent');
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      // The page itself has the same path, and no limit.
      front.fault = (path) =>
        path.startsWith('/agents?') && path.includes('limit=')
          ? {
              status: 200,
              body: JSON.stringify([
                { ...rows[0], last_seen: at(9) },
                { ...rows[1], last_seen: at(11) },
              ]),
            }
          : undefined;
      try {
        await page.go(`${front.url}agents`);
        await page.until("document.querySelectorAll('tbody tr').length === 2");
        assert.equal(await page.run("document.querySelectorAll('tbody .dot').length"), 1);
        await page.run("document.querySelector('#order').value = 'online'");
        await page.run("document.querySelector('#order').dispatchEvent(new Event('change'))");
        await page.until(
          "location.search.includes('sort=online') && document.querySelectorAll('tbody tr').length === 1",
        );
        await hands.sees('Online now');
        front.fault = (path) => (path.includes('limit=') ? { status: 200, body: '[]' } : undefined);
        await page.go(`${front.url}agents?sort=online`);
        await hands.sees('No agent was heard of in the last ten minutes.');
      } finally {
        await front.stop();
      }
    });

    it('offers lines in three languages that hire it', async () => {
      await opens(ben);
      const own = '[aria-label="Hire this agent"]';
      for (const [language, words] of [
        ['Python', 'from agent_mesh import Node'],
        ['JavaScript', 'import { NodeClient } from "agent-mesh/client"'],
        ['curl', `TO=${ben.id}`],
      ] as const) {
        await hands.clicks(language, own);
        await page.until(`document.querySelector('${own} [aria-pressed=true]').innerText === '${language}'`);
        const text = await page.text(`${own} pre`);
        assert.ok(text.includes(words) && text.includes(ben.id), text);
      }
      assert.deepEqual(await violationsIn(page), []);
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
    });
  },
);
