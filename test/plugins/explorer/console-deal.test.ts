import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Browser, findChromium } from './support/browser.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();

(program ? describe : describe.skip)(`a deal by mouse${program ? '' : ' (no Chromium is installed)'}`, function () {
  this.timeout(120_000);
  let mesh: Mesh<'ann' | 'ben'>;
  let browser: Browser;

  before(async () => {
    [mesh, browser] = await Promise.all([
      startMesh({ nodes: ['ann', 'ben'], usdc: { ann: '20', ben: '1' } }),
      Browser.start(program!),
    ]);
  });
  after(async () => {
    await browser?.stop();
    await mesh?.stop();
  });

  it('goes from offer over counter-offer, lock, delivery and release to both ratings', async () => {
    const { ann, ben } = mesh.nodes;
    const [pageOfAnn, pageOfBen] = [await browser.page(), await browser.page()];
    for (const page of [pageOfAnn, pageOfBen]) await page.look({});
    const [asAnn, asBen] = [new Hands(pageOfAnn), new Hands(pageOfBen)];
    await asAnn.enters(ann.url, ann.secret);
    await asBen.enters(ben.url, ben.secret);

    await asAnn.clicks('Deals', '#menu');
    await asAnn.clicks('New deal');
    await asAnn.types('Agent', ben.id);
    await asAnn.types('The work', 'Count the words of this sentence.');
    await asAnn.types('Amount in USDC', '1.5');
    await asAnn.clicks('Send the offer');
    await pageOfAnn.until('/^\\/deals\\/[0-9a-f]{32}$/.test(location.pathname)');
    const conversation = (await pageOfAnn.run<string>('location.pathname')).slice('/deals/'.length);
    await asAnn.sees('Count the words of this sentence.');

    // It appears on the other side's overview by itself.
    await asBen.sees('offers to pay you.');
    await asBen.clicks('Deals', '#menu');
    await asBen.clicks('Counter', '[data-lane=Offers]');
    await asBen.types('Amount in USDC', '2');
    await asBen.clicks('Send the counter-offer');
    await asBen.sees('The counter-offer is on its way.');

    await asAnn.sees('2.00 USDC');
    await asAnn.clicks('Accept');
    await asAnn.sees('Accept this offer for 2.00 USDC?');
    await asAnn.clicks('Accept', '.panel');
    await asAnn.clicks('Lock 2.00');
    const panel = await pageOfAnn.text('.panel');
    assert.match(panel, /Lock 3\.00 USDC for this deal\?/);
    assert.match(panel, /ben/);
    assert.match(panel, /This cannot be taken back\./);
    // Escape moves no money, and gives the focus back.
    await pageOfAnn.key('Escape');
    await pageOfAnn.until("!document.querySelector('.panel') && document.activeElement.dataset.action === 'lock'");
    assert.equal((await ann.client.deal(conversation)).escrow.locked_at, undefined);
    await asAnn.clicks('Lock 2.00');
    await asAnn.clicks('Lock 3.00 USDC', '.panel');
    await asAnn.sees('Locked. The provider can begin.');

    await pageOfBen.until(`document.querySelector('[data-lane="Money locked"] [data-deal="${conversation}"]')`);
    await asBen.clicks('Deliver', '[data-lane="Money locked"]');
    await asBen.types('The work, as text', 'Six words: <img src=x onerror=alert(1)>');
    await asBen.clicks('Deliver', '.panel');
    await asBen.sees('Delivered.');

    await asAnn.sees('Six words: <img src=x onerror=alert(1)>');
    await asAnn.clicks('Release 2.00');
    await asAnn.sees('Release 2.00 USDC?');
    await asAnn.clicks('Release 2.00 USDC', '.panel');
    await asAnn.sees('Released. The provider is paid.');
    const settled = await ann.dealWhen(conversation, 'settled');
    assert.equal(settled.escrow.to_provider_usdc_micro, 2_000_000);

    await asAnn.clicks('Rate');
    await asAnn.types('Score, from \u2212100 to 100', '90');
    await asAnn.clicks('Rate', '.panel');
    await asAnn.sees('Rated. Everybody may read it.');
    await pageOfBen.until(`document.querySelector('[data-lane="Ended"] [data-deal="${conversation}"]')`);
    await asBen.clicks('Rate', '[data-lane="Ended"]');
    await asBen.clicks('Rate', '.panel');
    await asBen.sees('Rated. Everybody may read it.');

    for (const [by, on] of [
      [ann, ben],
      [ben, ann],
    ] as const) {
      await happens(`the aggregator has the rating of ${by.name}`, async () => {
        const ratings = await fetch(`${mesh.aggregatorNode.url}/interactions/by/${by.id}`).then((one) => one.text());
        return (ratings.includes(on.id) && ratings.includes(conversation)) || undefined;
      });
    }
    for (const page of [pageOfAnn, pageOfBen]) {
      assert.deepEqual(
        page.problems.filter((text) => !/status of 404/.test(text)),
        [],
      );
      for (const asked of page.asked) assert.ok(!asked.includes(ann.secret) && !asked.includes(ben.secret), asked);
    }
  });
});
