import assert from 'node:assert/strict';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { ledgerEvents } from '../../../core/aggregator/store/ledger.ts';
import { Network, Store } from '../../../core/internal-services.ts';
import { toBase64 } from '../../../core/platform/bytes.ts';
import { newConversation, signDeal, type TestAgent } from '../../aggregator/support/agent.ts';
import { PluginAggregator } from '../support/aggregator.ts';
import { violationsIn } from './support/axe.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();
const LIVE = "document.querySelector('#pill').innerText === 'live'";
const DAY = 86_400;
const flow = (from_agent: string, to_agent: string, usdc: number) => ({
  ...{ from_agent, to_agent, kind: 'settled', settled_usdc_micro: usdc * 1_000_000, payment_count: 1 },
  ...{ rating_count: 0, positive_flow: 0, total_abs_flow: 0, avg_score: null },
});

(program ? describe : describe.skip)(
  `facts of the explorer that come or are looked up${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(150_000);
    let aggregator: PluginAggregator;
    let browser: Browser;
    let page: Page;
    let hands: Hands;
    let ann: TestAgent;
    let ben: TestAgent;
    let inn: TestAgent;
    let deal: ReturnType<typeof signDeal>;

    before(async () => {
      [aggregator, browser] = await Promise.all([PluginAggregator.start(), Browser.start(program!)]);
      [ann, ben, inn] = ['ann', 'ben', 'inn'].map((name) => aggregator.agent(name)) as [
        TestAgent,
        TestAgent,
        TestAgent,
      ];
      deal = signDeal(ann, ben, aggregator.clock.now());
      await report(
        ...[ann.beacon('ann').whole, ben.beacon('ben').whole, inn.beacon('inn', { hosted: [claim(ben, inn)] }).whole],
        ...[deal.propose, deal.accept, deal.deliver].map(({ receipt }) => receipt),
      );
    });
    after(async () => {
      await browser?.stop();
      await aggregator?.stop();
    });
    beforeEach(async () => {
      page = await browser.page();
      await page.look({});
      hands = new Hands(page);
    });
    afterEach(() => page.close());

    async function report(...items: object[]): Promise<void> {
      const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
      for (const result of body.results) assert.equal(result.status, 'accepted', JSON.stringify(result));
    }
    function claim(agent: TestAgent, host: TestAgent) {
      const recovery = aggregator.agent(`recovery of ${agent.id}`);
      const not_after = Math.floor(aggregator.clock.now() / 1_000) + DAY;
      const fields = { host_key: host.identity.key, recovery_key: recovery.identity.key, not_after };
      const signature = agent.identity.signDomain('host/1', aggregator.node.get(Network), fields);
      return { agent_id: agent.id, recovery_key: recovery.id, not_after, signature_b64: toBase64(signature) };
    }
    /** As the index of the ledger stores it. */
    const locked = async (conversation_id = newConversation()) => {
      const facts = { conversation_id, requester: ann.id, provider: ben.id, amount: '9000000' };
      const event = { name: 'escrow_locked', signature: null, ordinal: 0, slot: 7, at: aggregator.clock.now(), facts };
      await aggregator.node.get(Store).space(SPACE).append(ledgerEvents, event);
      return conversation_id;
    };
    const reads = (path: string) => page.asked.filter((url) => new URL(url).pathname === path).length;

    it('are laid out once with their page, and before all else that it draws', async () => {
      await page.go(`${aggregator.url}/search`);
      const seen = await page.run<string[]>(`(async () => {
        const { firstFrame, firstRead, hasFirst, showTogether } = await import('/explorer/first.js?fresh');
        const main = document.createElement('main');
        document.body.append(main);
        const said = [];
        let other;
        const drawn = showTogether(main, () => { other = [firstRead(true), firstRead(false)]; });
        const [lead, later] = other;
        said.push(main.hidden ? 'hidden' : 'shown');
        const turn = Promise.resolve(later.turn()).then(() => said.push(hasFirst() ? 'later' : 'too early'));
        await drawn;
        await lead.turn();
        said.push('lead');
        lead.drawn();
        said.push(main.hidden ? 'hidden' : 'shown');
        await Promise.all([turn, firstFrame]);
        later.drawn();
        return said;
      })()`);
      assert.deepEqual(seen, ['hidden', 'lead', 'shown', 'later']);
      // Without facts in time the page shows what it has.
      assert.equal(
        await page.run(`(async () => {
          const { firstFrame, firstRead, showTogether } = await import('/explorer/first.js?slow');
          const main = document.createElement('main');
          await showTogether(main, () => { firstRead(true); });
          await firstFrame;
          return main.hidden;
        })()`),
        false,
      );
    });

    it('stay when a part of a page is asked for twice at a time', async () => {
      await page.go(`${aggregator.url}/search`);
      const text = await page.run(`(async () => {
        const { section } = await import('/explorer/section.js');
        let calls = 0;
        const load = () => new Promise((resolve) => { setTimeout(() => resolve(['a fact']), (calls += 1) === 1 ? 100 : 500); });
        const part = section({ load, draw: ([fact]) => fact, steady: true });
        await Promise.all([part.ready, part.refresh()]);
        return part.textContent;
      })()`);
      assert.equal(text, 'a fact');
    });

    it('steps on the ledger come over the socket, and nothing is asked for twice', async () => {
      await page.go(aggregator.url);
      await page.until(LIVE);
      const conversation = await locked();
      await page.until(`document.querySelector('#live a[title="${conversation}"]')`);
      assert.match(await page.text('#live li .say'), /^ann locked money for ben$/);
      assert.equal(await page.text('#live li .num'), '9.00');
      await page.until(`document.querySelector('.strip [title="${conversation}"]')`);
      assert.equal(reads('/ledger/events'), 1);

      await page.go(`${aggregator.url}/ledger`);
      await page.until(`document.querySelector('table a[title="${conversation}"]')`);
      const next = await locked();
      await page.until(`document.querySelector('table a[title="${next}"]')`);
    });

    it('both sockets are one connection in words, and what either missed is caught up once', async () => {
      const front = await Front.start(aggregator.url);
      try {
        await page.go(front.url);
        await page.until(LIVE);
        front.refusesSockets = true;
        front.cut();
        await page.until("/^\\d+ s ago$/.test(document.querySelector('#pill').lastChild.textContent)");
        const missed = [await locked(), await locked()];
        const signed = signDeal(ann, ben, aggregator.clock.now());
        await report(signed.propose.receipt, signed.accept.receipt);
        front.refusesSockets = false;
        await hands.clicks('Try now');
        await page.until(LIVE);
        await hands.sees('Live again. 3 events caught up.');
        for (const id of [...missed, signed.conversation])
          await page.until(`document.querySelectorAll('#live a[title="${id}"]').length === 1`);
      } finally {
        await front.stop();
      }
    });

    it('a row of the feed leads to its receipt, which is checked', async () => {
      await page.go(aggregator.url);
      await page.until('document.querySelector(\'#live li a[title="Check its receipt"]\')');
      const row = `[...document.querySelectorAll('#live li')].find((one) => one.innerText.includes('ben delivered to ann'))`;
      await hands.presses(`${row}.querySelector('a[title="Check its receipt"]')`);
      await page.until("location.pathname === '/receipts'");
      await hands.sees('This receipt holds.');
      assert.match(await page.text('main'), /Message type\s+DELIVER/);
      assert.ok((await page.run<string>('location.search')).includes(deal.deliver.id));
      assert.deepEqual(await violationsIn(page), []);
      await page.go(
        `${aggregator.url}/receipts?agent=${ben.id}&id=${'ab'.repeat(32)}&at=${new Date(aggregator.clock.now()).toISOString()}`,
      );
      await hands.sees('The receipt that was asked for is not among those');
    });

    it('a step of a conversation has the receipt of its own id, and no other of its kind', async () => {
      const front = await Front.start(aggregator.url);
      front.withholdsFacts = true;
      const path = `/conversations/${deal.conversation}`;
      const found = await aggregator.read(path);
      front.fault = (asked) => {
        if (!asked.startsWith(`${path}?`)) return undefined;
        const timeline = found.timeline.map((step: any) =>
          step.event === 'DELIVER' ? { ...step, activity: { ...step.activity, envelope_id: 'ab'.repeat(32) } } : step,
        );
        return { status: 200, body: JSON.stringify({ ...found, timeline }) };
      };
      try {
        await page.go(`${aggregator.url}${path}`);
        await hands.sees('2 of 2 signatures hold');
        await page.go(front.url.slice(0, -1) + path);
        await hands.sees('1 of 2 signatures holds');
        await hands.sees('not shown to this index');
      } finally {
        await front.stop();
      }
    });

    it('the seal of a hosted agent has that of its host at its foot, and its page names the host', async () => {
      await page.go(`${aggregator.url}/agents`);
      await page.until("document.querySelectorAll('td .seal').length === 3");
      const withHost = await page.run<string[]>(
        "[...document.querySelectorAll('td a.agent')].filter((one) => one.querySelector('.seal .host')).map((one) => one.innerText)",
      );
      assert.deepEqual(withHost, ['ben']);
      await page.go(`${aggregator.url}/agents/${ben.id}`);
      await hands.sees('A node acts for it:');
      await page.until("document.querySelector('.seal.huge .host path')");
      await page.go(`${aggregator.url}/agents/${inn.id}`);
      await page.until("document.querySelector('.seal.huge')");
      await hands.settled();
      assert.equal(await page.run("document.querySelectorAll('.seal .host').length"), 0);
    });

    it('an id with a wrong letter is told from the known one, letter by letter', async () => {
      for (const place of [2, 30]) {
        const letter = ann.id[place] === 'x' ? 'y' : 'x';
        await page.go(`${aggregator.url}/agents/${ann.id.slice(0, place)}${letter}${ann.id.slice(place + 1)}`);
        await hands.sees('An id that has another letter in one place is known.');
        assert.deepEqual(await page.run("[...document.querySelectorAll('main mark')].map((one) => one.innerText)"), [
          ann.id[place],
        ]);
        assert.equal(await page.text('main .row code.bytes'), ann.id);
        assert.deepEqual(await violationsIn(page), []);
      }
    });

    it('a name in a sentence stands on one line, and words of pictures are as large as those beside them on a phone', async () => {
      await page.look({ width: 360, height: 740 });
      const front = await Front.start(aggregator.url);
      const name = 'a-name-with-many-hyphens';
      front.fault = (path) => {
        if (path.startsWith('/graph/flow'))
          return { status: 200, body: JSON.stringify([flow(ann.id, ben.id, 4), flow(ben.id, inn.id, 9)]) };
        if (!path.startsWith('/activity?')) return undefined;
        const event = { id: 1, event_type: 'DELIVER', agent_id: ben.id, target_agent_id: ann.id, target_name: name };
        const created_at = new Date(aggregator.clock.now()).toISOString();
        return { status: 200, body: JSON.stringify([{ ...event, name: `other-${name}`, created_at }]) };
      };
      try {
        await page.go(front.url);
        const names =
          "[...document.querySelectorAll('#live .say bdi')].filter((one) => one.innerText.includes('-with-'))";
        await page.until(`${names}.length === 2`);
        const heights = await page.run<number[]>(`${names}.map((one) => one.getBoundingClientRect().height)`);
        for (const height of heights) assert.ok(height < 30, `${heights}`);
        assert.ok((await page.run('document.documentElement.scrollWidth')) <= 360);

        await page.go(`${front.url}flows`);
        await page.until("document.querySelectorAll('.circle text').length === 3");
        await hands.settled();
        const sizes = await page.run<number[]>(
          "[...document.querySelectorAll('.chart text')].map((one) => one.getBoundingClientRect().height)",
        );
        for (const size of sizes) assert.ok(size > 9, `${sizes}`);
        assert.deepEqual(
          await page.run("[...document.querySelectorAll('.circle ~ table th')].map((one) => one.innerText)"),
          [...['From', 'To', 'Paid, USDC', 'Payments', 'Ratings', 'Mean rating']],
        );
      } finally {
        await front.stop();
      }
    });

    it('stakes stand in the list where anybody has one', async () => {
      const front = await Front.start(aggregator.url);
      front.withholdsFacts = true;
      const rows = await aggregator.read('/agents?limit=50&offset=0');
      const heads = () => page.run<string[]>("[...document.querySelectorAll('th')].map((one) => one.innerText)");
      try {
        await page.go(`${front.url}agents`);
        await page.until("document.querySelector('main > :not(.sent) td a')");
        assert.ok(!(await heads()).includes('Stake, USDC'));
        const staked = rows.map((row: any, index: number) => ({ ...row, stake_usdc: index === 0 ? 1_012.5 : 0 }));
        front.fault = (path) =>
          path.startsWith('/agents?') ? { status: 200, body: JSON.stringify(staked) } : undefined;
        for (const width of [1280, 360]) {
          await page.look({ width });
          await page.go(`${front.url}agents`);
          await page.until("document.querySelector('main > :not(.sent) td a')");
          assert.ok((await heads()).includes('Stake, USDC') || width === 360);
          await hands.sees('1,012.50');
          assert.ok((await page.run('document.documentElement.scrollWidth')) <= width);
        }
      } finally {
        await front.stop();
      }
    });
  },
);
