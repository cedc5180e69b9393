import assert from 'node:assert/strict';
import { PEOPLE } from '../../core/cli/dev/town/people.ts';
import { Browser, findChromium, type Page } from '../plugins/explorer/support/browser.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { processesOfGroup } from '../support/process-group.ts';
import { Installed } from './installed.ts';

const program = findChromium();
const MESHES = [
  ['a pair of agents', 2, []],
  ['a town', PEOPLE.length, ['--town']],
] as const;

/** Somebody without a clone: the package is installed in an empty folder, and nothing is asked of a registry. */
(program ? describe : describe.skip)(
  `npx agent-mesh dev, from the packed package${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(400_000);
    let stranger: Installed;
    let browser: Browser;
    let page: Page;
    let mesh: MeshProcess | undefined;

    before(async () => {
      [stranger, browser] = await Promise.all([Installed.make(), Browser.start(program!)]);
    });
    after(async () => {
      await browser?.stop();
      await stranger?.remove();
    });
    beforeEach(async () => {
      page = await browser.page();
    });
    afterEach(async () => {
      await page.close();
      if (!mesh) return;
      process.kill(-mesh.pid, 'SIGINT');
      await mesh.ended;
      assert.deepEqual(processesOfGroup(mesh.pid), []);
      mesh = undefined;
    });

    for (const [who, count, options] of MESHES)
      it(`runs ${who}, whose deals arrive at the URL that it prints`, async () => {
        const first = await freePort(count + 3);
        const ports = ['--port', first, '--aggregator-port', first + count, '--rpc-port', first + count + 1].map(
          String,
        );
        const data = `${stranger.folder}/data of ${count}`;
        mesh = new MeshProcess(['--offline', 'agent-mesh', 'dev', ...options, '--data', data, ...ports], {
          by: 'npx',
          cwd: stranger.folder,
          env: { NODE_OPTIONS: '' },
        });
        await mesh.until(() => /Open http:\S+ in a browser/.test(mesh!.out), 'the URL is printed', 180_000);
        const [, url] = /Open (http:\S+) in a browser/.exec(mesh.out)!;
        await page.go(url!);
        await page.until("document.querySelector('#pill').innerText === 'live'");
        await page.until("document.querySelector('.strip .deal b')", 180_000);
        const top = await page.text('#live li');
        await page.until(`document.querySelector('#live li').innerText !== ${JSON.stringify(top)}`, 120_000);
        await page.until(
          'document.querySelector(\'#live li svg[aria-label], #live li [title="On the ledger, finalised"]\')',
          120_000,
        );
        // The totals are read again every 30 seconds.
        await page.until(`document.querySelector('.lede').innerText.startsWith('${count} agents.')`);
        assert.deepEqual(
          page.problems.filter((text) => !/status of 404/.test(text)),
          [],
        );
        for (const asked of page.asked) assert.ok(asked.startsWith(url!) || /^(data:|about:)/.test(asked), asked);
      });
  },
);
