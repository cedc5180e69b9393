import assert from 'node:assert/strict';
import { accepted, delivered, proposed } from '../../support/deals.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { violationsIn } from './support/axe.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { FAULTS_OF_PAGE } from './support/faults-of-page.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';
import { isWhole } from './support/whole-page.ts';

const program = findChromium();
const HOSTILE = '"><img src=x onerror=alert(1)>';
const TURNED = '<script>alert(2)</script> \u202egnp.exe {{constructor.constructor("alert(3)")()}}';
const WIDE = 'W'.repeat(600);
const EVERY = ['overview', 'deals', 'deals/new', 'inbox', 'inspect', 'inspect?q=%3Cscript%3Ealert(4)%3C/script%3E'];
const MORE = ['compose', 'wallet', 'stake', 'peers', 'hosted', 'plugins', 'settings'];

(program ? describe : describe.skip)(`the console in Chromium${program ? '' : ' (none is installed)'}`, function () {
  this.timeout(120_000);
  let mesh: Mesh<'ann' | 'mal'>;
  let browser: Browser;
  let page: Page;
  let hands: Hands;
  let deal: string;
  let refused: string;
  let letter: string;

  before(async () => {
    const agent = { name: 'ann', capabilities: ['translate', HOSTILE], description: TURNED };
    const ann = { agent, plugins: { hosting: { hostAgents: true } } };
    const mal = { agent: { name: HOSTILE, capabilities: [TURNED.slice(0, 60)] } };
    [mesh, browser] = await Promise.all([
      startMesh({ nodes: ['ann', 'mal'], usdc: { ann: '100', mal: '100' }, own: { ann, mal } }),
      Browser.start(program!),
    ]);
    const { ann: one, mal: other } = mesh.nodes;
    await proposed(other, one, { message: `${HOSTILE} ${TURNED}`, amount_usdc: '0.5' });
    await proposed(one, other, { message: WIDE });
    await accepted(one, other, { message: 'Geocode our 12 offices.' });
    deal = await accepted(one, other, { message: 'Read the receipts of October.', escrow: false });
    await other.client.deliver({ conversation_id: deal, content: `${HOSTILE}${TURNED}`, content_type: 'text/html' });
    await one.dealWhen(deal, 'delivered');
    await delivered(one, other, { amount_usdc: '0', message: 'Free work.', escrow: false });
    await other.post('/message', { recipient: one.id, text: `${HOSTILE} ${TURNED}` });
    await one.post('/hosted/register', { name: HOSTILE });
    refused = await proposed(one, other, { message: 'x' });
    await other.post('/negotiate/reject', { conversation_id: refused, reason: HOSTILE });
    letter = await happens('a letter', async () => {
      const { frames } = (await one.get('/inbox')).body;
      return frames.find(({ msg_type: type }: any) => type === 'MESSAGE')?.envelope_id;
    });
  });
  after(async () => {
    await browser?.stop();
    await mesh?.stop();
  });
  beforeEach(async () => {
    page = await browser.page();
    await page.look({});
    hands = new Hands(page);
  });
  afterEach(() => page.close());

  const bad = () => page.problems.filter((text) => !/status of (40[14]|503)/.test(text));
  const enter = () => hands.enters(mesh.nodes.ann.url, mesh.nodes.ann.secret);

  it('shows a guest who the agent is, and asks for nothing that is not public', async () => {
    const { ann } = mesh.nodes;
    await page.go(ann.url);
    for (const text of ['ann', 'translate', HOSTILE, 'mesh-tests', 'Hire this agent', `TO=${ann.id}`])
      await hands.sees(text);
    assert.equal(await page.run("document.querySelector('#menu').checkVisibility()"), false);
    const asked = page.asked.map((url) => new URL(url).pathname).filter((path) => !path.startsWith('/explorer/'));
    assert.deepEqual(asked, ['/', '/agent']);
    // Whatever page a guest opens, the door stands there.
    await page.go(`${ann.url}/deals`);
    await hands.sees('Are you the operator?');
    assert.deepEqual(bad(), []);
  });

  it('tells a guest that there is nothing at an address, and finds an id behind it once the secret is there', async () => {
    const { ann } = mesh.nodes;
    await page.go(`${ann.url}/deal/${deal}`);
    await hands.sees('There is nothing at this address');
    await page.until(`document.querySelector('#q-big').value === ${JSON.stringify(deal)}`);
    await hands.clicks('Find', 'main');
    await hands.types('API secret', ann.secret);
    await hands.clicks('Open the console');
    await page.until(`location.pathname === '/deals/${deal}'`);
    assert.deepEqual(bad(), []);
  });

  it('takes the secret once, keeps it in the tab, and forgets it when it is told to', async () => {
    const { ann } = mesh.nodes;
    await page.go(`${ann.url}/wallet`);
    for (const wrong of ['no-secret', 'two words', 's\u00e9cret']) {
      await hands.types('API secret', wrong);
      await hands.clicks('Open the console');
      await hands.sees('The node does not take this secret.');
    }
    await hands.types('API secret', ann.secret);
    await hands.clicks('Open the console');
    await hands.sees('Balances');
    assert.equal(await page.run('location.pathname'), '/wallet');
    await page.go(`${ann.url}/plugins`);
    await hands.sees('Parts of core');
    for (const url of page.asked) assert.ok(!url.includes(ann.secret), url);
    assert.equal(await page.run('JSON.stringify(localStorage) + document.cookie'), '{}');
    assert.ok(!(await page.run<string>('document.documentElement.outerHTML')).includes(ann.secret));
    await hands.clicks('Lock');
    await hands.sees('Are you the operator?');
    assert.equal(await page.run('sessionStorage.length'), 0);
    const stranger = await browser.page();
    await stranger.go(`${ann.url}/plugins`);
    await new Hands(stranger).sees('Are you the operator?');
    await stranger.close();
  });

  it('asks again over the page when the secret is not taken any more, and goes on with the work', async () => {
    const { ann, mal } = mesh.nodes;
    const front = await Front.start(ann.url);
    try {
      await hands.enters(front.url, ann.secret);
      await page.go(`${front.url}deals/new?to=${mal.id}`);
      await hands.types('The work', 'Work that is kept.');
      let refusals = 1;
      front.fault = (path) =>
        path === '/negotiate/propose' && refusals-- > 0
          ? { status: 401, body: '{"code":"unauthorized","status":401}' }
          : undefined;
      // The secret that the tab holds was changed meanwhile.
      await hands.clicks('Send the offer');
      await hands.sees('The node does not take this secret any more');
      assert.deepEqual(await violationsIn(page), []);
      await hands.types('API secret', ann.secret);
      await hands.clicks('Open the console', 'dialog');
      await page.until('/^\\/deals\\/[0-9a-f]{32}$/.test(location.pathname)');
      await hands.sees('Work that is kept.');
    } finally {
      await front.stop();
    }
  });

  for (const [name, look] of [
    ['on a desk', { width: 1280 }],
    ['on a phone', { width: 360, height: 740, calm: true }],
  ] as const)
    it(`shows every page without a fault ${name}, light and dark`, async function () {
      this.timeout(240_000);
      const { ann, mal } = mesh.nodes;
      await page.look(look);
      await page.go(ann.url);
      await hands.sees('Are you the operator?');
      await isWhole(page, 'the guest page', look);
      await enter();
      const inner = [
        `deals/${deal}`,
        `envelopes/${letter}`,
        `agents/${mal.id}`,
        'agents/nobody',
        `deals/${'ab'.repeat(16)}`,
        'nothing/here',
      ];
      for (const path of [...EVERY, ...MORE, ...inner]) {
        await page.go(`${ann.url}/${path === 'overview' ? '' : path}`);
        await hands.settled();
        await page.until("document.querySelector('#pill').innerText === 'live'");
        // Each read that was begun with the document was asked for by its script, by the same address.
        if (path !== 'agents/nobody') await page.until('meshEarly.size === 0');
        await isWhole(page, path, look);
      }
      assert.deepEqual(bad(), []);
      for (const asked of page.asked) assert.ok(asked.startsWith(ann.url) || /^(data:|about:)/.test(asked), asked);
    });

  it('shows the words of strangers as words', async () => {
    const { ann, mal } = mesh.nodes;
    await enter();
    for (const [path, words] of [
      ['', HOSTILE],
      ['deals', HOSTILE],
      [`deals/${refused}`, `The other side declined: \u201c${HOSTILE}\u201d`],
      [`deals/${deal}`, `${HOSTILE}<script>alert(2)</script> \u2426gnp.exe`],
      ['inbox', HOSTILE],
      ['peers', HOSTILE],
      ['hosted', HOSTILE],
      [`agents/${mal.id}`, HOSTILE],
      [`envelopes/${letter}`, '\u2426gnp.exe'],
      ['settings', HOSTILE],
      ['inspect?q=%3Cimg%20src=x%20onerror=alert(5)%3E', '<img src=x onerror=alert(5)>'],
    ] as const) {
      await page.go(`${ann.url}/${path}`);
      await hands.settled();
      await page.until(`document.body.textContent.includes(${JSON.stringify(words)})`);
      assert.equal(await page.run("document.querySelectorAll('main script, main img, main iframe').length"), 0, path);
      assert.doesNotMatch(await page.text(), /[\u202a-\u202e\u2066-\u2069]/, path);
    }
    await page.go(`${ann.url}/inbox`);
    await hands.clicks(/^Read letter/, '#content');
    await hands.sees('Words of another agent.');
    assert.deepEqual(bad(), []);
  });

  it('shows letters as they come, and forgets those that are acknowledged', async () => {
    const { ann, mal } = mesh.nodes;
    await enter();
    await page.go(`${ann.url}/inbox`);
    await page.until("document.querySelector('.feed li button')");
    const before = await page.run<number>("document.querySelectorAll('.feed li').length");
    assert.equal(before, (await ann.get('/inbox')).body.frames.length);
    await mal.post('/message', { recipient: ann.id, text: 'A letter of this moment.' });
    await page.until(`document.querySelectorAll('.feed li').length === ${before + 1}`);
    await hands.clicks(/^Read letter/, '.feed li.new');
    await hands.sees('A letter of this moment.');
    assert.equal(await page.run('document.activeElement.innerText'), 'MESSAGE');
    await hands.clicks('Acknowledge to here');
    await hands.sees(`${before + 1} letters acknowledged`);
    assert.deepEqual((await ann.get('/inbox')).body.frames, []);
  });

  it('says that the connection is cut, keeps what it shows, and heals', async () => {
    const { ann, mal } = mesh.nodes;
    const front = await Front.start(ann.url);
    try {
      await hands.enters(front.url, ann.secret);
      await page.go(`${front.url}deals`);
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await hands.sees('Geocode our 12 offices.');
      front.refusesSockets = true;
      front.fault = () => ({ status: 502, body: '<html>', type: 'text/html' });
      front.cut();
      await page.until("/^\\d+ s ago$/.test(document.querySelector('#pill').lastChild.textContent)");
      await hands.sees('Next try in');
      await hands.sees('Geocode our 12 offices.');
      const missed = await proposed(mal, ann, { message: 'Sent while the line was cut.' });
      front.fault = () => undefined;
      front.refusesSockets = false;
      await hands.clicks('Try now');
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await hands.sees('Live again. All that is shown was read again.');
      await page.until(`document.querySelectorAll('[data-deal="${missed}"]').length === 1`);
    } finally {
      await front.stop();
    }
  });

  it('works below a prefix', async () => {
    const { ann } = mesh.nodes;
    const front = await Front.start(ann.url, '/nodes/ann/');
    try {
      await hands.enters(front.url, ann.secret);
      await hands.clicks('Deals', '#menu');
      await page.until("location.pathname === '/nodes/ann/deals' && document.querySelector('[data-deal] a')");
      await page.run("document.querySelector('[data-deal] .say a').click()");
      await page.until("location.pathname.startsWith('/nodes/ann/deals/') && document.querySelector('.chain')");
      await page.run('history.back()');
      await page.until("location.pathname === '/nodes/ann/deals' && document.querySelector('[data-deal] a')");
      assert.deepEqual(bad(), []);
    } finally {
      await front.stop();
    }
  });

  it('shows all deals of a column, those below the screen behind its first, and a deal with all its parts', async () => {
    const { ann } = mesh.nodes;
    const front = await Front.start(ann.url);
    try {
      const { body } = await ann.get('/deals');
      const open = body.deals.find(({ state }: any) => state === 'proposed');
      const deals = Array.from({ length: 40 }, (_, n) => ({
        ...open,
        conversation_id: n.toString(16).padStart(32, '0'),
      }));
      const many = { status: 200, type: 'application/json', body: JSON.stringify({ deals }) };
      front.fault = (path) => (path.startsWith('/deals?') ? many : undefined);
      await hands.enters(front.url, ann.secret);
      await page.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `new MutationObserver(() => {
          const found = document.querySelectorAll('[data-deal]').length;
          if (found > 0) window.drawn = [...new Set([...(window.drawn ?? []), found])];
        }).observe(document, { childList: true, subtree: true });`,
      });
      await page.go(`${front.url}deals`);
      await page.until('window.drawn?.includes(40)');
      const [first] = await page.run<number[]>('window.drawn');
      assert.ok(first! > 0 && first! < 40, `${first} at first`);
      assert.deepEqual(
        await page.run("[...document.querySelectorAll('[data-deal]')].map(({ dataset }) => dataset.deal)"),
        deals.map(({ conversation_id: id }) => id),
      );
      await page.go(`${front.url}deals/${open.conversation_id}`);
      for (const part of ['History', 'Terms', 'Money'])
        await page.until(`document.querySelector('[aria-label=${part}]')`);
      assert.deepEqual(bad(), []);
    } finally {
      await front.stop();
    }
  });

  it('is used by keys, and a double press pays once', async () => {
    const { ann, mal } = mesh.nodes;
    const conversation = await accepted(ann, mal, { message: 'By keys.' });
    await enter();
    await page.key('g');
    await page.key('d');
    await page.until("location.pathname === '/deals'");
    const card = `[data-deal="${conversation}"]`;
    await page.until(`document.querySelector('${card}')`);
    await page.run(`document.querySelector('${card} button').focus()`);
    await page.key('Enter');
    await page.until("document.activeElement.matches('.panel h2')");
    assert.match(await page.text('.panel h2'), /^Lock 2\.25 USDC/);
    do await page.key('Tab');
    while (!(await page.run("document.activeElement.matches('.panel form button')")));
    await page.key('Enter');
    await page.key('Enter');
    await hands.sees('Locked. The provider can begin.');
    const steps = await happens('the lock', async () => {
      const { events } = (await ann.get('/portfolio/history')).body;
      const found = events.filter(({ conversation_id: id }: any) => id === conversation);
      return found.length > 0 ? found : undefined;
    });
    assert.equal(steps.length, 1);
    // The socket brings the change, and the card stands in its column.
    await page.until(`document.querySelector('[data-lane="Money locked"] ${card}')`);
  });

  it('hides secrets among the settings, and shows what plugins may do', async () => {
    const { ann } = mesh.nodes;
    await enter();
    await page.go(`${ann.url}/settings`);
    await hands.sees('agent.capabilities');
    assert.ok(!(await page.text()).includes(ann.secret));
    await page.go(`${ann.url}/plugins`);
    await hands.sees('owner-links');
  });

  it('changes settings: at once, after a restart, and back, and says what is wrong with one', async () => {
    const { ann } = mesh.nodes;
    await enter();
    await page.look({ width: 360, height: 740 });
    await page.go(`${ann.url}/settings`);
    await hands.sees('agent.capabilities');
    await page.run("document.querySelector('#open').click()");
    assert.ok(!(await page.text()).includes('api.secret'));
    await hands.clicks('Change: log.level');
    await hands.sees('It holds at once.');
    assert.deepEqual(await violationsIn(page), []);
    await page.run("document.querySelector('.panel select').value = 'error'");
    await hands.clicks('Change it');
    await hands.sees('log.level is changed.');
    await page.until("document.querySelector('table').innerText.includes('error')");
    const shown = async (wanted: string) =>
      (await ann.get('/settings')).body.settings.find(({ key }: any) => key === wanted);
    assert.equal((await shown('log.level')).value, 'error');

    await hands.clicks('Change: agent.capabilities');
    await page.run("document.querySelector('.panel textarea').value = ''");
    await hands.types('New value', `${'x'.repeat(65)}\nproofread`);
    await hands.clicks('Change it');
    await page.until("document.querySelector('.panel [aria-invalid=true]')");
    await hands.types('New value', 'translate\n\n  proofread  ');
    await hands.clicks('Change it');
    await hands.sees('agent.capabilities is kept. It holds after a restart.');
    await hands.sees('One change waits for a restart of the node: agent.capabilities.');
    assert.deepEqual((await shown('agent.capabilities')).after_restart, ['translate', 'proofread']);
    assert.deepEqual(await page.run(FAULTS_OF_PAGE), []);
    assert.deepEqual(await violationsIn(page), []);
    assert.ok((await page.run('document.documentElement.scrollWidth')) <= 360);

    for (const key of ['agent.capabilities', 'log.level']) {
      await hands.clicks(`Take back: ${key}`);
      await hands.clicks('Take it back');
      await hands.sees(`The change of ${key} is taken back.`);
    }
    assert.equal((await shown('agent.capabilities')).after_restart, undefined);
    assert.equal((await shown('log.level')).kept, undefined);
    await page.run("document.querySelector('#open').click()");
    await hands.sees('A cap bounds the holder of the secret too');
    assert.deepEqual(
      bad().filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  it('knows each step of the API, with amount and payee before what moves money', async () => {
    await enter();
    const actions =
      'counter accept reject deliver dispute raise contest decide verdict pay lock approve refund claim split reclaim feedback';
    const steps = await page.run<any[]>(`(async () => {
      const { stepsOf } = await import('./explorer/console/steps.js');
      const deal = await (await fetch('./deals/${deal}')).json();
      const all = { ...deal, allowed_actions: ${JSON.stringify(`${actions} unheard`.split(' '))}, escrow: { agreed: true, locked_at: deal.created_at, disputed_at: deal.created_at, offer_bps: 6000 }, unavailable_actions: [{ action: 'pay', reason: 'no ledger' }] };
      return stepsOf(all).map(({ action, label, reason, panel }) => ({ action, label, reason, title: panel?.title, rows: panel?.rows?.map(([name]) => name) ?? [], words: panel?.words ?? [] }));
    })()`);
    assert.deepEqual(
      steps.map(({ action }) => action),
      [...actions.split(' '), 'unheard', 'pay'],
    );
    const money = ['lock', 'pay', 'approve', 'refund', 'reclaim', 'claim'];
    for (const { action, label, reason, title, rows, words } of steps) {
      assert.ok(label.length > 0, action);
      if (reason === undefined) assert.ok(title.length > 0, action);
      if (!money.includes(action)) continue;
      assert.ok(rows.includes('Amount') && rows.includes('To'), action);
      assert.ok(words.includes('This cannot be taken back.'), action);
    }
    assert.deepEqual(
      steps.filter(({ reason }) => reason).map(({ action, reason }) => [action, reason]),
      [
        ['unheard', 'This page does not know this step; the API takes it.'],
        ['pay', 'no ledger'],
      ],
    );
  });

  it('says on a node without a ledger what it cannot do, and shows the rest', async () => {
    const alone = await startMesh({ nodes: ['dot'], isolated: true });
    try {
      const { dot } = alone.nodes;
      await hands.enters(dot.url, dot.secret);
      await hands.sees('no ledger');
      for (const [path, words] of [
        ['wallet', 'This node has no ledger, and so no wallet.'],
        ['stake', 'there is nothing to stake or to lease.'],
        ['deals', 'No deal yet.'],
        ['inbox', 'Nothing has come that is not acknowledged.'],
        ['hosted', 'This node hosts no agents for others.'],
        ['peers', 'Aggregators'],
        ['', 'Nothing waits for you.'],
      ] as const) {
        await page.go(`${dot.url}/${path}`);
        await hands.settled();
        await hands.sees(words);
        assert.equal(await page.run("document.querySelectorAll('.banner.bad').length"), 0, path);
        assert.deepEqual(await violationsIn(page), [], path);
      }
      assert.deepEqual(bad(), []);
    } finally {
      await alone.stop();
    }
  });
});
