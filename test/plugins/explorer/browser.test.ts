import assert from 'node:assert/strict';
import { newConversation, signDeal, type TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { PluginAggregator } from '../support/aggregator.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Front } from './support/front.ts';
import { isWhole } from './support/whole-page.ts';

const program = findChromium();
const HOSTILE = [
  '<img src=x onerror="alert(1)">',
  '"><script>alert(2)</script>',
  "javascript:alert(3)//'",
  'W'.repeat(64),
  '{{constructor.constructor("alert(4)")()}}',
];
const MANY = 10_000;
const LOOKS = [
  ['on a desk', { width: 1280 }],
  ['on a phone', { width: 360, height: 740, calm: true }],
] as const;

/** A server that lies in its answers is met as one that is broken: its words are quoted too. */
const LIE = {
  name: '\u202enna\u0000<img src=x onerror=alert(8)>',
  capabilities: ['\u2066x'],
  url: 'javascript:alert(9)',
};

// Says aloud that nothing was tried, where no Chromium is: `apt-get install chromium` brings one.
(program ? describe : describe.skip)(`the explorer in Chromium${program ? '' : ' (none is installed)'}`, function () {
  this.timeout(90_000);
  let aggregator: PluginAggregator;
  let browser: Browser;
  let page: Page;
  let agents: TestAgent[];
  let deal: ReturnType<typeof signDeal>;
  let url: string;

  before(async () => {
    [aggregator, browser] = await Promise.all([PluginAggregator.start(), Browser.start(program!)]);
    url = aggregator.url;
    agents = ['ann', 'ben', ...HOSTILE].map((name) => aggregator.agent(name));
    const [ann, ben] = agents as [TestAgent, TestAgent];
    deal = signDeal(ann, ben);
    const bounty = newConversation();
    const names = ['ann', 'ben', ...HOSTILE];
    await report(
      ...agents.map((agent, index) => agent.beacon(names[index]!).whole),
      ben.sign('ADVERTISE', { payload: { capabilities: ['translate', 'proofread'] } }).whole,
      ...[deal.propose, deal.accept, deal.deliver].map(({ receipt }) => receipt),
      ann.sign('BOUNTY', {
        conversation: bounty,
        payload: {
          task_summary: '<b>bold</b> <script>alert(5)</script> \u202egnp.exe',
          required_capability: 'trans\u2066late',
          max_budget_usd: 12.5,
          deadline_secs: 3_600,
          conversation_id: bounty,
        },
      }).whole,
    );
  });
  after(async () => {
    await browser?.stop();
    await aggregator?.stop();
  });
  beforeEach(async () => {
    page = await browser.page();
  });
  afterEach(() => page.close());

  async function report(...items: object[]): Promise<void> {
    const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
    for (const result of body.results) assert.equal(result.status, 'accepted', JSON.stringify(result));
  }
  const seen = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  const settled = () =>
    page.until("!document.querySelector('.skeleton, main > .sent') && document.querySelector('h1')");
  /** The document of an address, with other facts in it. */
  const documentWith = async (path: string, facts: string) => {
    const text = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
    const quoted = facts.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    return { status: 200, type: 'text/html', body: text.replace(/data-facts="[^"]*"/, () => `data-facts="${quoted}"`) };
  };
  const paths = () => {
    const [ann, ben] = agents as [TestAgent, TestAgent];
    const epoch = Math.floor(aggregator.clock.now() / 86_400_000);
    return [
      ...['/', '/agents', '/flows', '/ledger', '/analytics', '/bounties', '/campaigns', '/hosts', '/search?q=ann'],
      ...[`/agents/${ben.id}`, `/conversations/${deal.conversation}`, `/receipts?agent=${ann.id}&epoch=${epoch}`],
      ...[`/owners/${ann.id}`, `/agents/${agents[2]!.id}`, '/nothing/at/all'],
    ];
  };

  for (const [name, look] of LOOKS)
    it(`shows every page without a fault ${name}, light and dark`, async function () {
      // Fourteen pages, each looked through by axe-core: a machine that is busy takes its time.
      this.timeout(300_000);
      await page.look(look);
      for (const path of paths()) {
        await page.go(url + path);
        await settled();
        // A section says that it waits only after 200 ms.
        await page.until("document.querySelector('main').innerText.length > 20");
        // Each read that was begun with the document was asked for by its script, by the same address.
        await page.until('meshEarly.size === 0');
        await isWhole(page, path, look);
      }
      // What an aggregator has not is a 404 that the page asks about; nothing else is said on the console.
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
      for (const asked of page.asked) assert.ok(asked.startsWith(url) || /^(data:|about:)/.test(asked), asked);
    });

  it('shows the words of strangers as words', async () => {
    await page.look({ width: 360, height: 740 });
    for (const path of ['/agents', '/hosts', '/', '/bounties', '/search?q=%3Cscript%3Ealert(6)%3C/script%3E']) {
      await page.go(url + path);
      await settled();
      assert.equal(await page.run("document.querySelectorAll('main script, main img, main iframe').length"), 0, path);
      assert.doesNotMatch(await page.text(), /[\u202a-\u202e\u2066-\u2069]/, path);
    }
    await page.go(`${url}/agents`);
    await seen('<img src=x onerror="alert(1)">');
    await page.go(`${url}/bounties`);
    await seen('\u2426gnp.exe');
    await seen('trans\u2426late');
    for (const agent of agents.slice(2)) {
      await page.go(`${url}/agents/${agent.id}`);
      await settled();
      assert.ok((await page.run('document.documentElement.scrollWidth')) <= 360, agent.id);
    }
    assert.deepEqual(
      page.problems.filter((text) => /dialog|Content Security/.test(text)),
      [],
    );
  });

  it('shows the words of a lying server as words', async () => {
    const front = await Front.start(url);
    const [row] = await aggregator.read('/agents?limit=1');
    const profile = await aggregator.read(`/agents/${row.agent_id}/profile`);
    const lying = await documentWith('/agents', JSON.stringify([{ ...row, ...LIE }]));
    front.fault = (path) => {
      if (path === '/agents') return lying;
      if (path.endsWith('/profile')) return { status: 200, body: JSON.stringify({ ...profile, ...LIE }) };
      if (/^\/agents\?.*limit=/.test(path)) return { status: 200, body: JSON.stringify([{ ...row, ...LIE }]) };
      if (path === '/network')
        return { status: 200, body: '{"network_id":"<img src=x>","epoch_secs":86400,"envelope_version":2}' };
      return undefined;
    };
    try {
      for (const path of ['agents', 'agents?sort=recent', `agents/${row.agent_id}`, '']) {
        await page.go(front.url + path);
        await settled();
        assert.equal(
          await page.run('document.querySelectorAll(\'main img, header img, [href^="javascript"]\').length'),
          0,
        );
        assert.doesNotMatch(await page.text(), /[\u202a-\u202e\u2066-\u2069]/, path);
      }
      for (const path of ['agents', 'agents?sort=recent']) {
        await page.go(front.url + path);
        await seen('\u2426nna\u2400<img src=x onerror=alert(');
      }
      assert.deepEqual(
        page.problems.filter((text) => /dialog|Content Security/.test(text)),
        [],
      );
    } finally {
      await front.stop();
    }
  });

  it('shows events as they come', async () => {
    const [ann, , cay] = agents as [TestAgent, TestAgent, TestAgent];
    await page.go(url);
    await page.until("document.querySelector('#pill').innerText === 'live'");
    const before = await page.run("document.querySelectorAll('#live li').length");
    const other = signDeal(cay, ann);
    await report(other.propose.receipt, other.accept.receipt);
    await page.until(`document.querySelectorAll('#live li').length > ${before}`);
    assert.match(await page.run("document.querySelector('#live li .say').textContent"), /^ann agreed with /);
    await page.until("document.querySelector('.deal.moving')");
  });

  it('leaves the focus where it is while events come', async () => {
    const [ann, , cay] = agents as [TestAgent, TestAgent, TestAgent];
    await page.go(url);
    await page.until("document.querySelector('#pill').innerText === 'live'");
    for (const link of ['#live li:last-child .say a', 'a.deal']) {
      await page.until(`document.querySelector('${link}')`);
      // Many links of a row lead to the same address.
      const [before, href, top] = await page.run<[number, string, string]>(`(() => {
        const one = document.querySelector('${link}');
        one.focus({ preventScroll: true });
        return [document.querySelectorAll('#live li').length, one.href, one.closest('li')?.dataset.key];
      })()`);
      const other = signDeal(cay, ann);
      await report(other.propose.receipt, other.accept.receipt);
      await page.until(`document.querySelectorAll('#live li').length > ${before}`);
      await page.until(`document.querySelector('a.deal[href$="${other.conversation}"]')`);
      const active = await page.run('[document.activeElement.href, document.activeElement.closest("li")?.dataset.key]');
      assert.deepEqual(active, [href, top]);
    }
  });

  it('says that its socket was cut, and goes on behind the last event without doubles or gaps', async () => {
    const front = await Front.start(url);
    try {
      await page.go(front.url);
      await page.until("document.querySelector('#pill').innerText === 'live'");
      front.refusesSockets = true;
      front.cut();
      const pill = "document.querySelector('#pill').lastChild.textContent";
      await page.until(`/^\\d+ s ago$/.test(${pill})`);
      assert.equal(await page.run("document.querySelector('#live .feed').className"), 'feed stale');
      // It counts, and so does the time to the next try; none of it is said aloud at each second.
      await seen('Next try in');
      await page.until(`Number.parseInt(${pill}, 10) >= 2`);
      assert.match(await page.text('#pill'), /^not live,/);
      const [ann, ben] = agents as [TestAgent, TestAgent];
      const missed = [signDeal(ann, ben), signDeal(ann, ben), signDeal(ann, ben)];
      await report(...missed.flatMap(({ propose, accept }) => [propose.receipt, accept.receipt]));
      front.refusesSockets = false;
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await seen('Live again. 3 events caught up.');
      assert.equal(await page.run("document.querySelectorAll('.stale').length"), 0);
      for (const { conversation } of missed)
        await page.until(`document.querySelectorAll('#live a[title="${conversation}"]').length === 1`);
    } finally {
      await front.stop();
    }
  });

  it('says in words what an endpoint refuses or does not answer, and shows the rest', async () => {
    const front = await Front.start(url);
    front.fault = (path) =>
      path.startsWith('/leaderboard')
        ? { status: 500, body: '{"code":"internal","detail":"Broken <b>here</b>."}' }
        : undefined;
    try {
      await page.go(front.url);
      await seen('Broken <b>here</b>.');
      await seen('internal');
      await seen('Agents online');
      front.fault = () => undefined;
      await page.run("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Try again').click()");
      await page.until("!document.body.innerText.includes('Broken')");
      for (const answer of [
        { status: 502, body: '<html>bad gateway</html>', type: 'text/html' },
        { status: 200, body: '{"a":', type: 'application/json' },
      ]) {
        front.fault = (path) => (path.startsWith('/leaderboard') ? answer : undefined);
        await page.go(front.url);
        await page.until("document.querySelector('.banner.bad button')");
        assert.match(await page.text('.banner.bad'), /answered 502|no JSON/);
        await seen('Agents online');
        await seen('Join this mesh');
      }
    } finally {
      await front.stop();
    }
  });

  it('says that an endpoint is slow, and keeps old facts with their age', async () => {
    const front = await Front.start(url);
    front.fault = (path) => (path.startsWith('/capabilities') ? 'hang' : undefined);
    try {
      await page.go(`${front.url}agents`);
      await page.until("document.querySelector('.skeleton')");
      await seen('ann');
      await page.until("document.body.innerText.includes('did not answer in 15 seconds')", 20_000);
      front.fault = () => undefined;
      await page.go(`${front.url}hosts`);
      await settled();
      front.fault = (path) => (path.startsWith('/registry') ? { status: 500, body: '{}' } : undefined);
      await page.run("document.dispatchEvent(new Event('visibilitychange'))");
      await seen('These facts are of');
      assert.equal(await page.run("document.querySelectorAll('.stale').length"), 1);
    } finally {
      await front.stop();
    }
  });

  it('checks every receipt itself, and believes no word of the server', async () => {
    const front = await Front.start(url);
    try {
      await page.go(`${front.url}conversations/${deal.conversation}`);
      await seen('2 of 2 signatures hold');
      await page.run("document.querySelector('details:not(#menu) summary').click()");
      await seen('This receipt holds.');
      const [, ben] = agents as [TestAgent, TestAgent];
      const epoch = Math.floor(aggregator.clock.now() / 86_400_000);
      const path = `/epochs/${ben.id}/${epoch}/envelopes`;
      const honest = await aggregator.read(path);
      for (const at of [20, 60, 150, 280]) {
        const rows = honest.map((row: any) => {
          const bytes = Buffer.from(row.bytes_b64, 'base64');
          bytes[Math.min(at, bytes.length - 1)]! ^= 1;
          return { ...row, bytes_b64: bytes.toString('base64'), verified: true, signed: true };
        });
        front.fault = (asked) => (asked.startsWith(path) ? { status: 200, body: JSON.stringify(rows) } : undefined);
        await page.go(`${front.url}receipts?agent=${ben.id}&epoch=${epoch}&id=${honest[0].leaf_hash}`);
        await seen('This receipt does not hold.');
        await seen(`0 of ${rows.length} receipt`);
        assert.equal(await page.run("document.querySelectorAll('main .ok').length"), 0);
      }
      // The same receipts, of a network that is said to be another one.
      const network = await aggregator.read('/network');
      front.fault = (asked) =>
        asked === '/network' ? { status: 200, body: JSON.stringify({ ...network, network_id: 'another' }) } : undefined;
      await page.go(`${front.url}receipts?agent=${ben.id}&epoch=${epoch}`);
      await seen(`0 of ${honest.length} receipt`);
    } finally {
      await front.stop();
    }
  });

  it('shows its totals before a script has run, and without any', async () => {
    await page.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.send('Page.navigate', { url });
    const isTold = new RegExp(`^<dd>${agents.length}<small> of ${agents.length}<`);
    // A node of the document before, which is gone by then, is asked for again.
    const figure = async () => {
      const { root } = await page.send('DOM.getDocument', { depth: -1 });
      const { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#totals dd' });
      return (await page.send('DOM.getOuterHTML', { nodeId })).outerHTML as string;
    };
    await happens('the document is there', async () => isTold.test(await figure().catch(() => '')) || undefined);
    await page.send('Emulation.setScriptExecutionDisabled', { value: false });
    const names = () => page.run("[...document.querySelectorAll('.figures dt')].map((one) => one.innerText)");
    const told = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    await page.go(url);
    await page.until("document.querySelector('#live li')");
    const drawn = await names();
    const first = [...told.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, name]: RegExpMatchArray) => name);
    // No ledger is read here, so nothing is said of escrows; the rest keeps its name and place.
    const isKnown = (name: string) => name !== 'In escrow now' && !name.endsWith('\u2013');
    assert.deepEqual(
      drawn.filter((name: string) => !name.startsWith('Of it organic')),
      first.filter((name) => isKnown(name!) && !name!.startsWith('Of it organic')),
    );
  });

  it('works below a prefix', async () => {
    const front = await Front.start(url, '/mesh/');
    try {
      await page.go(front.url);
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await page.run("document.querySelector('#menu a').click()");
      await page.until("location.pathname === '/mesh/agents' && document.querySelector('td a')");
      await page.run("document.querySelector('td a').click()");
      await page.until("location.pathname.startsWith('/mesh/agents/') && document.querySelector('.score')");
      await page.run('history.back()');
      await page.until("location.pathname === '/mesh/agents' && document.querySelector('td a')");
    } finally {
      await front.stop();
    }
  });

  it('is used by keys', async () => {
    await page.go(`${url}/flows`);
    await settled();
    await page.key('/');
    await page.until("document.activeElement.id === 'q'");
    await page.run("document.querySelector('#q').value = 'ben'; document.querySelector('#q').form.requestSubmit()");
    await page.until("location.pathname === '/search' && document.body.innerText.includes('ben')");
    await page.run('document.activeElement.blur()');
    await page.key('g');
    await page.key('a');
    await page.until("location.pathname === '/agents'");
    await settled();
    await page.key('?');
    await page.until("document.querySelector('dialog').open");
    await page.run("document.querySelector('#keys-on').click(); document.querySelector('dialog').close()");
    await page.key('/');
    assert.notEqual(await page.run('document.activeElement.id'), 'q');
  });

  it('remembers a theme, and follows the system without one', async () => {
    const paper = () => page.run('getComputedStyle(document.body).backgroundColor');
    await page.look({ dark: true });
    await page.go(`${url}/hosts`);
    await settled();
    assert.equal(await paper(), 'rgb(16, 19, 18)');
    await page.run("document.querySelector('#theme').click()");
    assert.equal(await paper(), 'rgb(250, 249, 246)');
    await page.go(`${url}/hosts`);
    await settled();
    assert.equal(await paper(), 'rgb(250, 249, 246)');
  });

  it('says that there is nothing at an address, and looks for its last word', async () => {
    const [, ben] = agents as [TestAgent, TestAgent];
    const front = await Front.start(url, '/mesh/');
    try {
      await page.go(`${front.url}agent/${ben.id}?%3Cimg%20src=x%20onerror=alert(10)%3E`);
      await seen('There is nothing at this address');
      await page.until(`document.querySelector('#q-big').value === ${JSON.stringify(ben.id)}`);
      assert.equal(await page.run("document.querySelectorAll('main img').length"), 0);
      assert.deepEqual(
        page.asked.filter((asked) => asked.startsWith('http') && !new URL(asked).pathname.startsWith('/mesh/')),
        [],
      );
      await page.run("document.querySelector('.find.big button').click()");
      await page.until("location.pathname === '/mesh/search' && document.querySelector('main li a, main td a')");
      await seen('ben');
    } finally {
      await front.stop();
    }
  });

  it('says that it does not know an agent or a conversation, and the way on', async () => {
    const unknown = agents[0]!.id.slice(0, -4) + (agents[0]!.id.endsWith('1111') ? '2222' : '1111');
    await page.go(`${url}/agents/${unknown}`);
    await seen('has not heard of that agent');
    await seen('A key made to look like another one');
    await page.go(`${url}/conversations/${'ab'.repeat(16)}`);
    await seen('has not heard of that conversation');
    await page.go(`${url}/agents/%3Cimg%20src=x%20onerror=alert(7)%3E`);
    await page.until("!document.querySelector('main > .sent') && document.querySelector('h1')");
    assert.equal(await page.run("document.querySelectorAll('main img').length"), 0);
    assert.deepEqual(
      page.problems.filter((text) => /dialog/.test(text)),
      [],
    );
  });

  it(`shows ${MANY} agents a page at a time, and stays small`, async () => {
    const front = await Front.start(url);
    const row = (await aggregator.read('/agents?limit=1'))[0];
    front.withholdsFacts = true;
    front.fault = (path) => {
      if (!/^\/(agents|leaderboard)\?limit=/.test(path)) return undefined;
      const query = new URLSearchParams(path.slice(path.indexOf('?')));
      const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset') ?? 0)];
      const rows = Array.from({ length: Math.max(0, Math.min(limit, MANY - offset)) }, (_, index) => ({
        ...row,
        rank: offset + index + 1,
        lower_bound: 10,
        hubs: [],
        name: `agent ${offset + index}`,
      }));
      return { status: 200, body: JSON.stringify(rows) };
    };
    try {
      await page.go(`${front.url}agents`);
      // The rows that no screen has come with a later frame, and none of them is lost or twice there.
      await page.until("document.querySelectorAll('main tbody tr').length === 50");
      await seen('agent 49');
      assert.ok((await page.run("document.querySelectorAll('*').length")) < 3_000);
      for (let step = 0; step < 3; step += 1) {
        await page.run("[...document.querySelectorAll('a.button')].find((one) => one.innerText === 'Next').click()");
        await seen(`agent ${(step + 1) * 50}`);
      }
      await page.go(`${front.url}agents?offset=${MANY - 50}`);
      await seen(`agent ${MANY - 1}`);
      await page.go(`${front.url}agents?offset=${MANY}`);
      await seen('The list ends before this page');
    } finally {
      await front.stop();
    }
  });
});
