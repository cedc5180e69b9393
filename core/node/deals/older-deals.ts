import { nextTimer, onTimer } from '../../protocol/deals/timers.ts';
import type { Space } from '../../storage/space.ts';
import { type DealDocument, deals, isOpenOffer, withDeal } from './deal-document.ts';

const PAGE = 200;
/** Deals that a refusal names. */
const NAMED = 5;

/**
 * Makes a store's deals of before fit for a node whose messages show who pays: what is over stays as it is, and offers
 * without an answer lapse, as nobody could answer them any more. Changes nothing, and gives those that are under way,
 * when there are any: what they promise can be kept with their own messages only.
 */
export async function settleOlderDeals(space: Space): Promise<string | undefined> {
  const underWay: string[] = [];
  const offers: string[] = [];
  for await (const document of allDeals(space)) {
    const { conversation, state } = document.deal;
    if (isUnderWay(document)) underWay.push(`${conversation} (${state}${document.deal.escrow ? ', in escrow' : ''})`);
    else if (isOpenOffer(document.deal)) offers.push(conversation);
  }
  if (underWay.length > 0) {
    const more = underWay.length > NAMED ? ` and ${underWay.length - NAMED} more` : '';
    return `${underWay.slice(0, NAMED).join(', ')}${more}`;
  }
  for (const id of offers) {
    await space.tx([deals.ref(id)], (tx) => {
      const before = tx.get(deals.ref(id));
      if (before && isOpenOffer(before.deal)) tx.put(deals.ref(id), lapsed(before));
    });
  }
  return undefined;
}

async function* allDeals(space: Space): AsyncGenerator<DealDocument> {
  for (let page = await space.page(deals, { limit: PAGE }); page.length > 0; ) {
    for (const { value } of page) yield value;
    page = await space.page(deals, { limit: PAGE, after: page.at(-1)! });
  }
}

function isUnderWay({ deal, payment }: DealDocument): boolean {
  return payment?.status === 'recorded' || (deal.accepted !== null && !deal.final);
}

/** As time alone would leave it. */
function lapsed(document: DealDocument): DealDocument {
  let { deal } = document;
  for (let timer = nextTimer(deal); timer && timer.at > deal.clock; timer = nextTimer(deal)) {
    deal = onTimer(deal, timer.at).deal;
  }
  return withDeal(document, deal, document.updated_at);
}
