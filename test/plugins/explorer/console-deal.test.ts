import assert from 'node:assert/strict';
import { accepted } from '../../support/deals.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { violationsIn } from './support/axe.ts';
import { Browser, findChromium } from './support/browser.ts';
import { Hands } from './support/hands.ts';

const program = findChromium();

(program ? describe : describe.skip)(`a deal by mouse${program ? '' : ' (no Chromium is installed)'}`, function () {
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

  it('goes from a dispute with an offer over a higher one to money given back', async () => {
    const { ann, ben } = mesh.nodes;
    const conversation = await accepted(ann, ben, { message: 'Work in dispute.' });
    await ann.post('/escrow/lock', { conversation_id: conversation });
    await ben.client.deliver({ conversation_id: conversation, content: 'not much' });
    await ann.dealWhen(conversation, (deal) => deal.escrow.delivered_at !== undefined);
    const [pageOfAnn, pageOfBen] = [await browser.page(), await browser.page()];
    for (const page of [pageOfAnn, pageOfBen]) await page.look({ width: 360, height: 740 });
    const [asAnn, asBen] = [new Hands(pageOfAnn), new Hands(pageOfBen)];
    await asAnn.enters(ann.url, ann.secret);
    await asBen.enters(ben.url, ben.secret);
    const card = `[data-deal="${conversation}"]`;

    await pageOfAnn.go(`${ann.url}/deals`);
    await asAnn.clicks('Dispute', card);
    await asAnn.types('Reason', 'Half of it is missing.');
    await asAnn.types('Offer to the provider, in per cent of the amount', '30');
    await asAnn.clicks('Dispute', '.panel');
    await asAnn.sees('The dispute is made.');
    const disputed = await ben.dealWhen(conversation, (deal) => deal.escrow.offer_bps === 3_000);
    assert.equal(disputed.state, 'disputed');
    await asAnn.clicks('Raise the offer', card);
    await asAnn.types('Offer, in per cent of the amount', '45.5');
    await asAnn.clicks('Raise the offer', '.panel');
    await asAnn.sees('The offer is raised.');
    await ben.dealWhen(conversation, (deal) => deal.escrow.offer_bps === 4_550);

    await pageOfBen.go(`${ben.url}/deals/${conversation}`);
    // A name that comes in moves what stands below it on a phone.
    await pageOfBen.until("document.querySelector('.chain') && !document.querySelector('.agent bdi.mono')");
    await asBen.settled();
    await asBen.clicks('Contest');
    await asBen.sees('Without a notary what is contested is burnt.');
    await asBen.clicks('Cancel', '.panel');
    await asBen.clicks('Give back');
    // A panel fits into a phone, with the whole address of who is paid.
    assert.ok(
      await pageOfBen.run(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.panel'))",
      ),
    );
    assert.ok((await pageOfBen.text('.panel')).replaceAll(/\s/g, '').includes(ann.id));
    assert.deepEqual(await violationsIn(pageOfBen), []);
    assert.match(await pageOfBen.text('.panel'), /Amount\s+2\.25 USDC\s+To\s+ann/);
    await asBen.clicks('Give back 2.25 USDC', '.panel');
    await asBen.sees('Given back.');
    await ann.dealWhen(conversation, 'refunded');
    await pageOfAnn.until(`document.querySelector('[data-lane="Ended"] ${card}')`);
  });

  it('moves USDC out of the wallet and to stake only after a panel that says how much and where', async () => {
    const { ann, ben } = mesh.nodes;
    const page = await browser.page();
    await page.look({});
    const hands = new Hands(page);
    await hands.enters(ann.url, ann.secret);
    await hands.clicks('Wallet', '#menu');
    await hands.clicks('Send USDC');
    await hands.types('To the wallet', ben.id);
    await hands.types('Amount in USDC', '1.25');
    await hands.clicks('Go on', '.panel');
    await hands.sees('Send 1.25 USDC?');
    assert.ok((await page.text('.panel')).includes(ben.id));
    // A person who leaves the second panel is back at the button that opened the first.
    await page.key('Escape');
    await page.until("!document.querySelector('.panel') && document.activeElement.innerText === 'Send USDC'");
    await hands.clicks('Send USDC');
    await hands.types('To the wallet', ben.id);
    await hands.types('Amount in USDC', '1.25');
    await hands.clicks('Go on', '.panel');
    await hands.clicks('Send 1.25 USDC', '.panel');
    await hands.sees('Sent.');
    await page.until("document.activeElement.matches('[role=status]')");
    await hands.sees('transfer sweep');

    await hands.clicks('Stake and lease', '#menu');
    await hands.clicks('Add stake');
    await hands.types('Amount in USDC', '1000000000');
    await hands.clicks('Add stake', '.panel');
    // A refusal says why, and the panel stays with what was typed.
    await page.until("document.querySelector('.panel .banner.bad')");
    await hands.types('Amount in USDC', '10');
    await hands.clicks('Add stake', '.panel');
    await hands.sees('It is at stake.');
    await hands.sees('10.00 USDC');
    assert.equal(((await ann.get('/stake')).body as any).state, 'active');
  });
});
