import assert from 'node:assert/strict';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Browser, findChromium, type Page } from './support/browser.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();
/** More stops than a page of a console has. */
const MOST_STOPS = 150;

(program ? describe : describe.skip)(
  `a deal by keys alone${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(120_000);
    let mesh: Mesh<'ann' | 'ben'>;
    let browser: Browser;
    before(async () => {
      [mesh, browser] = await Promise.all([
        startMesh({ nodes: ['ann', 'ben'], usdc: { ann: '100', ben: '1' } }),
        Browser.start(program!),
      ]);
    });
    after(async () => {
      await browser?.stop();
      await mesh?.stop();
    });

    it('goes from the secret over offer, lock and release to the rating', async () => {
      const { ann, ben } = mesh.nodes;
      const page = await browser.page();
      await page.look({});
      const hands = new Hands(page);
      await page.go(ann.url);
      await hands.sees('Are you the operator?');
      await fills(page, 'API secret', ann.secret);
      await page.key('Enter');
      await page.until("document.querySelector('#pill').innerText === 'live'");
      await page.run('document.activeElement.blur()');
      await page.key('g');
      await page.key('n');
      await hands.sees('Send the offer');
      await fills(page, 'Agent', ben.id);
      await fills(page, 'The work', 'Count by keys.');
      await fills(page, 'Amount in USDC', '1.5');
      await goes(page, 'Send the offer');
      await page.key('Enter');
      await page.until('/^\\/deals\\/[0-9a-f]{32}$/.test(location.pathname)');
      const conversation = (await page.run<string>('location.pathname')).slice('/deals/'.length);
      await ben.dealWhen(conversation, 'proposed');
      await ben.client.accept({ conversation_id: conversation });

      await opensPanel(page, 'Lock 1.50');
      await page.key('Escape');
      await page.until("!document.querySelector('.panel') && document.activeElement.dataset.action === 'lock'");
      assert.equal((await ann.client.deal(conversation)).escrow.locked_at, undefined);
      await opensPanel(page, 'Lock 1.50');
      await confirms(page, 'Lock 2.25 USDC');
      await hands.sees('Locked. The provider can begin.');
      await ben.dealWhen(conversation, ({ escrow }) => escrow?.locked_at !== undefined);
      await ben.client.deliver({ conversation_id: conversation, content: 'three', content_type: 'text/plain' });

      await opensPanel(page, 'Release 1.50');
      await confirms(page, 'Release 1.50 USDC');
      const settled = await ann.dealWhen(conversation, 'settled');
      assert.equal(settled.escrow.to_provider_usdc_micro, 1_500_000);
      await opensPanel(page, 'Rate');
      await fills(page, 'Score, from \u2212100 to 100', '70');
      await confirms(page, 'Rate');
      await hands.sees('Rated. Everybody may read it.');
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
    });

    it('keeps the focus in a panel that opened while the section below it was read', async () => {
      const { ann, ben } = mesh.nodes;
      const { conversation_id } = await ann.client.propose({ recipient: ben.id, amount_usdc: '1', message: 'Count.' });
      await ben.dealWhen(conversation_id, 'proposed');
      await ben.client.accept({ conversation_id });
      await ann.dealWhen(conversation_id, 'accepted');
      await ann.client.lock(conversation_id);
      await ben.dealWhen(conversation_id, ({ escrow }) => escrow?.locked_at !== undefined);
      const page = await browser.page();
      await page.look({});
      await new Hands(page).enters(`${ann.url}/deals/${conversation_id}`, ann.secret);
      await goes(page, 'Release early 1.00');
      // The reads of deals wait until they are let go.
      await page.run(`(() => {
        const real = window.fetch;
        const held = new Promise((resolve) => { window.letGo = resolve; });
        window.asked = 0;
        window.fetch = async (...given) => {
          if (/\\/deals\\/[0-9a-f]{32}$/.test(String(given[0].url ?? given[0]))) { window.asked += 1; await held; }
          return real(...given);
        };
      })()`);
      await ben.client.deliver({ conversation_id, content: 'one', content_type: 'text/plain' });
      await page.until('window.asked > 0');
      await page.key('Enter');
      await page.until("document.activeElement.matches('.panel h2')");
      await page.run('window.letGo()');
      await page.until("document.querySelector('[data-action=approve]').innerText === 'Release 1.00'");
      assert.ok(await page.run("document.activeElement.matches('.panel h2')"));
      await page.key('Escape');
      await page.until("document.activeElement.innerText === 'Release 1.00'");
    });

    /** Tab by tab, as somebody without a mouse. */
    async function goes(page: Page, name: string): Promise<void> {
      const here = `(() => { const one = document.activeElement; return (one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText ?? '').trim() === ${JSON.stringify(name)} && one !== document.body; })()`;
      for (let stop = 0; stop < MOST_STOPS; stop += 1) {
        if (await page.run<boolean>(here)) return;
        await page.key('Tab');
      }
      throw new Error(`no way by Tab to ${name}`);
    }

    async function fills(page: Page, label: string, text: string): Promise<void> {
      await goes(page, label);
      await page.run('document.activeElement.select?.()');
      await page.send('Input.insertText', { text });
    }

    async function opensPanel(page: Page, name: string): Promise<void> {
      await page.until(
        `[...document.querySelectorAll('button')].some((one) => one.innerText.trim() === ${JSON.stringify(name)} && !one.disabled)`,
      );
      await goes(page, name);
      await page.key('Enter');
      await page.until("document.activeElement.matches('.panel h2')");
    }

    async function confirms(page: Page, name: string): Promise<void> {
      await page.key('Tab');
      await goes(page, name);
      await page.key('Enter');
    }
  },
);
