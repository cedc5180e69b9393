import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { PluginAggregator } from '../support/aggregator.ts';
import { violationsIn } from './support/axe.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { FAULTS_OF_PAGE } from './support/faults-of-page.ts';
import { Front } from './support/front.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();
const LOOKS = [
  ['on a desk, light', { width: 1280, dark: false }],
  ['on a phone, dark', { width: 360, height: 740, dark: true, calm: true }],
] as const;

describe('the list of guides', () => {
  it('names each guide of docs/ once, by its title', async () => {
    const tasks = '../../../plugins/explorer/public/docs/tasks.js';
    const { TASKS } = (await import(tasks)) as { TASKS: { guides: [string, string][] }[] };
    const listed = TASKS.flatMap(({ guides }) => guides.map(([name]) => `${name}.md`));
    const there = (await readdir(join(packageRoot, 'docs'))).filter((name) => name.endsWith('.md'));
    assert.deepEqual(listed.sort(), there.sort());
  });
});

(program ? describe : describe.skip)(
  `the documentation in Chromium${program ? '' : ' (none is installed)'}`,
  function () {
    this.timeout(240_000);
    let aggregator: PluginAggregator;
    let mesh: Mesh<'ann'>;
    let browser: Browser;
    let page: Page;
    let hands: Hands;

    before(async () => {
      [aggregator, mesh, browser] = await Promise.all([
        PluginAggregator.start(),
        startMesh({ nodes: ['ann'], isolated: true }),
        Browser.start(program!),
      ]);
    });
    after(async () => {
      await browser?.stop();
      await mesh?.stop();
      await aggregator?.stop();
    });
    beforeEach(async () => {
      page = await browser.page();
      await page.look({});
      hands = new Hands(page);
    });
    afterEach(() => page.close());

    /** The list of all pages is drawn last. */
    const drawn = () =>
      page.until("document.querySelector('.docs h1')?.checkVisibility() && document.querySelector('.docs nav')");

    for (const [name, look] of LOOKS)
      it(`shows its pages without a fault ${name}`, async () => {
        await page.look(look);
        const guides = ['agents', 'deals', 'operate', 'plugin-guide', 'errors', 'decision-030-no-framework'];
        const shared = [
          '',
          '?q=agents',
          ...guides.map((guide) => `/${guide}`),
          '/nothing',
          '/api-nothing',
          '/api-operations',
        ];
        // A node draws the guides with the same files.
        for (const [url, paths] of [
          [aggregator.url, [...shared, '/api-agents', '/api-reputation']],
          [mesh.nodes.ann.url, ['', '/api-negotiation#negotiation.propose', '/api-events']],
        ] as const)
          for (const path of paths) {
            await page.go(`${url}/docs${path}`);
            await drawn();
            const wide = await page.run<number>('document.documentElement.scrollWidth');
            assert.ok(wide <= look.width, `${path} is ${wide} wide`);
            assert.deepEqual(await page.run(FAULTS_OF_PAGE), [], path);
            assert.deepEqual(await violationsIn(page), [], path);
          }
        const bad = page.problems.filter((text) => !/status of 404/.test(text));
        assert.deepEqual(bad, []);
        for (const asked of page.asked)
          assert.ok(
            [aggregator.url, mesh.nodes.ann.url].some((url) => asked.startsWith(url)),
            asked,
          );
      });

    it('has three first calls that work as they stand, at an aggregator and at a node', async () => {
      for (const [url, lines] of [
        [aggregator.url, ['/network', '/agents', '/activity']],
        [mesh.nodes.ann.url, ['/ready', '/agent']],
      ] as const) {
        await page.go(`${url}/docs`);
        await drawn();
        assert.equal(await page.run("document.querySelectorAll('details.operation').length"), 3);
        for (const line of lines) {
          const own = `[aria-label="Try GET ${line}"]`;
          await page.run(
            `[...document.querySelectorAll('details.operation')].find((one) => one.querySelector('summary code').innerText === '${line}').open = true`,
          );
          await page.until(
            "[...document.querySelectorAll('.copied pre')].some((one) => one.innerText.startsWith('curl'))",
          );
          await hands.clicks('Try it', 'details[open]');
          await page.until(`document.querySelector('${own}')`);
          await hands.clicks('Send GET', own);
          await page.until(`document.querySelector('details[open] .tag.ok')?.innerText === '200'`);
          await page.run(
            "for (const one of document.querySelectorAll('details.operation')) { one.open = false; one.lastElementChild.replaceChildren(); }",
          );
        }
      }
    });

    it('asks for the secret of a node where a call needs it, and sends no change at one press', async () => {
      const { ann } = mesh.nodes;
      await page.go(`${ann.url}/docs/api-negotiation#negotiation.propose`);
      await hands.clicks('Try it', 'details[open]');
      const form = '[aria-label="Try POST /negotiate/propose"]';
      await page.until(`document.querySelector('${form} textarea')`);
      await hands.types('Body', '{"recipient":"nobody"');
      await page.until("document.querySelector('details[open] pre').innerText.includes('nobody')");
      await hands.clicks('Send POST', form);
      await hands.types('API secret', ann.secret);
      await hands.clicks('Take the secret');
      await page.until("!document.querySelector('#secret')");
      const sent = () => page.asked.filter((url) => url.endsWith('/negotiate/propose')).length;
      await hands.clicks('Send POST', form);
      await page.until("document.activeElement.innerText === 'Send POST /negotiate/propose?'");
      await page.run(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))",
      );
      await page.until("document.activeElement.innerText === 'Send POST'");
      assert.equal(sent(), 0);
      await hands.clicks('Send POST', form);
      await hands.clicks('Send POST /negotiate/propose');
      await hands.sees('The body is no JSON');
      await hands.types('Body', '{"recipient":"nobody"}');
      await hands.clicks('Send POST', form);
      await hands.clicks('Send POST /negotiate/propose');
      await page.until("document.querySelector('.answer')?.innerText.includes('invalid_request')");
      assert.equal(await page.text('details[open] .tag.bad'), '400');
      assert.equal(sent(), 1);
      for (const url of page.asked) assert.ok(!url.includes(ann.secret), url);
    });

    it('confirms a call with the path that it has, and makes none that would go to another route', async () => {
      const { ann } = mesh.nodes;
      await page.go(`${ann.url}/docs/api-topics#topics.unsubscribe`);
      await hands.clicks('Try it', 'details[open]');
      const form = '[aria-label="Try DELETE /topics/{topic}"]';
      const question = (words: string) => page.until(`document.activeElement.innerText === '${words}'`);
      await hands.types('topic', 'one');
      await hands.clicks('Send DELETE', form);
      if (await page.run("document.querySelector('#secret') !== null")) {
        await hands.types('API secret', ann.secret);
        await hands.clicks('Take the secret');
        await page.until("!document.querySelector('#secret')");
        await hands.clicks('Send DELETE', form);
      }
      await question('Send DELETE /topics/one?');
      await hands.types('topic', '..');
      await page.until(`!document.querySelector('[aria-label="Confirm"]')`);
      await hands.clicks('Send DELETE', form);
      await hands.sees('topic: .. is no value in a path');
      assert.ok(!(await page.run(`document.querySelector('[aria-label="Confirm"]') !== null`)));
    });

    it('finds routes and guides, below a prefix too, and leads to them', async () => {
      const front = await Front.start(aggregator.url, '/mesh/');
      try {
        await page.look({ width: 360, height: 740 });
        await page.go(`${front.url}docs`);
        await drawn();
        await page.run("document.querySelector('#q').focus()");
        await page.send('Input.insertText', { text: 'leaderboard' });
        await page.key('Enter');
        await page.until("location.pathname === '/mesh/docs' && location.search === '?q=leaderboard'");
        await hands.clicks(/GET \/leaderboard$/, '.docs');
        await page.until(
          "location.pathname.startsWith('/mesh/docs/api-') && document.querySelector('details[open] .copied')",
        );
        assert.match(await page.text('details[open] .copied pre'), new RegExp(`^curl ${front.url}leaderboard`));
        await hands.clicks('All pages', '.docs');
        await hands.clicks('Reputation', '.docs nav');
        await page.until("location.pathname === '/mesh/docs/reputation' && document.querySelector('.prose h1')");
        await page.run('history.back()');
        await page.until("location.pathname.startsWith('/mesh/docs/api-')");
        assert.deepEqual(page.problems, []);
      } finally {
        await front.stop();
      }
    });

    it('finds what stands in the text of guides and in the fields of routes', async () => {
      const { ann } = mesh.nodes;
      await page.go(`${ann.url}/docs?q=fdatasync`);
      await drawn();
      await page.until("document.querySelector('[aria-label=Guides] li a')");
      await page.run("document.querySelector('[aria-label=Guides] li a').click()");
      await page.until("location.hash !== '' && document.querySelector('.prose h1')");
      await page.until('document.getElementById(decodeURIComponent(location.hash.slice(1)))');
      assert.match(await page.text('.prose'), /fdatasync/i);
      await page.go(`${ann.url}/docs?q=idempotent_nothing`);
      await hands.sees('No guide has these words.');
      await hands.sees('No route has these words.');
      // A member of a body, in no path and in no summary.
      await page.go(`${ann.url}/docs?q=dispute_bps`);
      await page.until("document.querySelector('[aria-label=Routes] li a')");
      const found = await page.text('[aria-label=Routes]');
      assert.match(found, /\/negotiate\/propose/);
      assert.match(found, /Fields: .*dispute_bps/);
      assert.deepEqual(await page.run(FAULTS_OF_PAGE), []);
      assert.deepEqual(await violationsIn(page), []);
      assert.deepEqual(page.problems, []);
    });

    it('begins without a script: the introduction of the first calls stands in the document, and a search has nothing of it', async () => {
      const front = await Front.start(aggregator.url);
      try {
        front.fault = (path) => (/docs\.js$/.test(path) ? { status: 503, type: 'text/plain', body: '' } : undefined);
        const introduction = "document.querySelector('.docs h1').checkVisibility()";
        await page.go(`${front.url}docs`);
        assert.equal(await page.run(introduction), true);
        assert.match(await page.text('main'), /Three first calls.*application\/problem\+json.*error codes/s);
        await page.go(`${front.url}docs?q=bond`);
        assert.equal(await page.run(introduction), false);
      } finally {
        await front.stop();
      }
    });

    it('reads no more of the API than a page shows', async () => {
      const apiReads = () => {
        const found = page.asked.filter((url) => url.includes('/openapi.json'));
        page.asked.length = 0;
        return found.map((url) => url.slice(url.indexOf('openapi.json')));
      };
      const listed = () => page.until("document.querySelectorAll('.docs nav a').length > 20");
      for (const [path, first, reads] of [
        ['docs/agents', '.prose h1', ['openapi.json?tag=explorer']],
        ['docs/api-agents', '.operation', ['openapi.json?tag=agents']],
        ['docs?q=leaderboard', '[aria-label=Routes] li a', ['openapi.json']],
        ['docs', '.operation', ['openapi.json']],
      ] as const) {
        await page.go(`${aggregator.url}/${path}`);
        await page.until(`document.querySelector(${JSON.stringify(first)})`);
        await listed();
        assert.deepEqual(apiReads(), reads, path);
      }
      assert.deepEqual(page.problems, []);
    });

    it('draws the rest of a long guide behind its first screen, and the whole for an address that names a part', async () => {
      const front = await Front.start(aggregator.url);
      const parts = Array.from(
        { length: 60 },
        (_, part) => `## Part ${part}\n\n${'Words of it. '.repeat(40)}\n\n- one\n- two`,
      );
      const guide = { status: 200, type: 'text/markdown', body: `# Long\n\n${parts.join('\n\n')}\n` };
      front.fault = (path) => (path === '/guides/deals.md' ? guide : undefined);
      try {
        await page.send('Page.addScriptToEvaluateOnNewDocument', {
          source: `new MutationObserver(() => {
            const found = document.querySelectorAll('.prose h2').length;
            if (found > 0) window.drawn = [...new Set([...(window.drawn ?? []), found])];
          }).observe(document, { childList: true, subtree: true });`,
        });
        await page.go(`${front.url}docs/deals`);
        await page.until('window.drawn?.includes(60)');
        const [first, ...rest] = await page.run<number[]>('window.drawn');
        assert.ok(first! > 2 && first! < 30, `${first} parts at first`);
        assert.deepEqual(rest, [60]);
        const order = await page.run<string[]>("[...document.querySelectorAll('.prose h2')].map(({ id }) => id)");
        assert.deepEqual(
          order,
          parts.map((_, part) => `part-${part}`),
        );
        await page.go(`${front.url}docs/deals?again#part-50`);
        await page.until("document.querySelector('#part-50')");
        assert.deepEqual(await page.run('window.drawn'), [60]);
        await page.until("Math.abs(document.querySelector('#part-50').getBoundingClientRect().top) < innerHeight");
        assert.deepEqual(page.problems, []);
      } finally {
        await front.stop();
      }
    });

    it('draws a guide as text: markup in it stays text, its links lead to guides, its code is copied', async () => {
      const front = await Front.start(aggregator.url);
      front.fault = (path) =>
        path === '/guides/deals.md'
          ? {
              status: 200,
              type: 'text/markdown',
              body: '# A <img src=x onerror=alert(1)>\n\n[js](javascript:alert(2)) [two](blobs.md#a) [out](../SECURITY.md)\n\n#### Deep\n\n```sh\n<script>alert(3)</script>\n```\n\n| a | |\n|---|---|\n| `x\\|y` | **b** |\n\n- one\n  - two\n- three\n',
            }
          : undefined;
      try {
        await page.go(`${front.url}docs/deals`);
        await page.until("document.querySelector('.prose h2')");
        assert.equal(
          await page.run("document.querySelectorAll('.prose img, .prose script, .prose [href^=javascript]').length"),
          0,
        );
        assert.equal(await page.text('.prose h1'), 'A <img src=x onerror=alert(1)>');
        assert.equal(await page.text('.prose pre'), '<script>alert(3)</script>');
        assert.deepEqual(await page.run("[...document.querySelectorAll('.prose p a')].map(({ href }) => href)"), [
          `${front.url}docs/blobs#a`,
        ]);
        assert.deepEqual(
          await page.run("[...document.querySelectorAll('.prose td')].map((one) => one.innerText.trim())"),
          ['x|y', 'b'],
        );
        assert.equal(await page.run("document.querySelectorAll('.prose li li').length"), 1);
        assert.deepEqual(page.problems, []);
      } finally {
        await front.stop();
      }
    });

    it('stays one page without scripts for programs', async () => {
      for (const url of [aggregator.url, mesh.nodes.ann.url]) {
        const text = await (await fetch(`${url}/docs`)).text();
        assert.doesNotMatch(text, /<script/);
        assert.match(text, /\/openapi\.json/);
        const guide = await fetch(`${url}/guides/deals.md`);
        assert.deepEqual([guide.status, guide.headers.get('content-type')], [200, 'text/markdown; charset=utf-8']);
      }
    });
  },
);
