// Events as sentences. A sentence is a list of texts and of places that name an agent: { agent } or { wallet }.

const OUTCOME = { released: 'paid', claimed: 'paid after silence', refunded: 'given back', reclaimed: 'taken back' };

/** An event of `/activity`: `{ words, value, mark }`. */
export function activitySentence(event) {
  const x = agent(event.agent_id, event.name);
  const to = event.target_agent_id ?? event.target_id;
  const y = to === undefined ? undefined : agent(to, event.target_name);
  const { words, value } = activityWords(event, x, y);
  return { words: words.filter((word) => word !== undefined), value, conversation: event.conversation_id };
}

function activityWords({ event_type: type, score, outcome }, x, y) {
  switch (type) {
    case 'JOIN':
      return { words: [x, ' joined the mesh'] };
    case 'ACCEPT':
      return { words: [x, ...with_(' agreed', ' agreed with ', y)] };
    case 'REJECT':
      return { words: [x, ...with_(' declined an offer', ' declined the offer of ', y)] };
    case 'DELIVER':
      return { words: [x, ...with_(' delivered', ' delivered to ', y)] };
    case 'DISPUTE':
      return { words: [x, ...with_(' disputes a delivery', ' disputes the delivery of ', y)] };
    case 'VERDICT':
      return { words: [x, ...with_(' decided', ' decided on ', y)], value: verdictText(outcome) };
    case 'FEEDBACK':
      return { words: [x, ...with_(' left a rating', ' rated ', y)], value: score };
    default:
      return { words: [x, `: ${String(type)}`] };
  }
}

function verdictText(outcome) {
  return outcome === 'positive' ? 'for the provider' : outcome === 'negative' ? 'for the requester' : undefined;
}

/** An event of the settlement program. */
export function ledgerSentence(event) {
  const x = agent(event.requester);
  const y = agent(event.provider);
  const a = agent(event.agent_id ?? event.claimed_agent_id ?? event.key);
  const words = ledgerWords(event, x, y, a).filter((word) => word !== undefined);
  return { words, micro: event.amount, conversation: event.conversation_id };
}

function ledgerWords(event, x, y, a) {
  switch (event.event) {
    case 'escrow_locked':
      return [x, ' locked money for ', y];
    case 'payee_changed':
      return [y, ' is paid at another address'];
    case 'escrow_delivered':
      return [y, ' named its delivery on the ledger'];
    case 'escrow_approved':
      return [x, ' paid ', y, ' from escrow'];
    case 'escrow_refunded':
      return [y, ' gave the money back to ', x];
    case 'escrow_reclaimed':
      return [x, ' took its money back: ', y, ' did not deliver'];
    case 'escrow_claimed':
      return [y, ' was paid: ', x, ' did not answer in time'];
    case 'escrow_disputed':
      return typeof event.offer_bps === 'number'
        ? [x, ' asks ', y, ` to take ${event.offer_bps / 100} %`]
        : [x, ' objected on the ledger'];
    case 'escrow_contested':
      return [y, ' stands by its work'];
    case 'escrow_decided':
      return ['the notary decided for ', event.for_provider === false ? x : y];
    case 'escrow_split':
      return Number(event.burnt) > 0
        ? ['neither ', x, ' nor ', y, ' gave in: money was burnt']
        : ['the money was divided between ', x, ' and ', y];
    case 'stake_added':
      return [a, ' put money at stake'];
    case 'stake_withdrawn':
      return [a, ' took its stake back'];
    case 'unlock_requested':
      return [a, ' asks to leave'];
    case 'agent_resumed':
      return [a, ' took its duties on again'];
    case 'agent_opened':
      return [a, ' opened its ledger account'];
    case 'agent_id_changed':
      return [a, ' has its ledger account under another id'];
    case 'lease_paid':
      return [a, ' paid its lease'];
    case 'batch_submitted':
      return [a, ' handed in its batch', epochText(event.epoch)];
    case 'agent_accused':
      return [agent(event.accuser), ' says ', a, ' left a message out'];
    case 'accusation_answered':
      return [a, ' showed the message it was accused of leaving out'];
    case 'accusation_voided':
      return ['the accusation of ', a, ' fell away'];
    case 'agent_slashed':
      return [a, ' lost half its stake'];
    case 'owner_claimed':
      return [{ wallet: event.owner }, ' owns ', a];
    default:
      return [a ?? x, a || x ? ': ' : '', String(event.event)];
  }
}

function epochText(epoch) {
  return epoch === undefined ? undefined : ` of epoch ${epoch}`;
}

function agent(id, name) {
  return typeof id === 'string' ? { agent: id, ...(name && { name }) } : undefined;
}

function with_(alone, joint, other) {
  return other ? [joint, other] : [alone];
}

/** In which order the steps of a deal happen: the ledger tells its time in whole seconds. */
const ORDER = [
  ...[
    'JOIN',
    'ACCEPT',
    'REJECT',
    'escrow_locked',
    'DELIVER',
    'escrow_delivered',
    'DISPUTE',
    'escrow_disputed',
    'escrow_contested',
  ],
  ...[
    'VERDICT',
    'escrow_decided',
    'escrow_approved',
    'escrow_refunded',
    'escrow_reclaimed',
    'escrow_claimed',
    'escrow_split',
    'FEEDBACK',
  ],
];

/** Earlier first: by the second, then by the order of the steps, then by the moment. */
export function inOrder(one, other) {
  const [a, b] = [one, other].map((event) => {
    const at = Date.parse(event.created_at);
    return [Math.floor(at / 1_000), ORDER.indexOf(event.event_type ?? event.event), at];
  });
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

const STEPS = ['agreed', 'locked', 'delivered', 'settled'];
const ENDS = {
  escrow_approved: 'settled',
  escrow_claimed: 'settled',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'reclaimed',
  escrow_decided: 'decided',
  escrow_split: 'divided',
};

/**
 * Deals by what both feeds tell of them, newest first: `{ conversation, from, to, micro, step, ended, disputed, at }`, with `step` the
 * number of STEPS it has come through. Events may come in any order, and more than once.
 */
export function dealsOf(activity, ledger) {
  const deals = new Map();
  const rated = new Set();
  const at = (id, time) => {
    const deal = deals.get(id) ?? { conversation: id, step: 0, at: time };
    if (time > deal.at) deal.at = time;
    deals.set(id, deal);
    return deal;
  };
  for (const event of activity) {
    if (event.conversation_id === undefined) continue;
    if (event.event_type === 'FEEDBACK') rated.add(event.conversation_id);
    const step = { ACCEPT: 1, DELIVER: 3 }[event.event_type];
    if (step === undefined && event.event_type !== 'DISPUTE') continue;
    const deal = at(event.conversation_id, event.created_at);
    if (step !== undefined) deal.step = Math.max(deal.step, step);
    if (event.event_type === 'DISPUTE') deal.disputed = true;
    const other = event.target_agent_id ?? event.target_id;
    // The one who delivers works; an ACCEPT may come from either side.
    if (event.event_type === 'DELIVER') Object.assign(deal, { to: event.agent_id, from: other ?? deal.from });
    else if (deal.to === undefined) Object.assign(deal, { from: other, to: event.agent_id });
  }
  for (const event of ledger) {
    if (event.conversation_id === undefined || !String(event.event).startsWith('escrow_')) continue;
    const deal = at(event.conversation_id, event.created_at);
    if (event.requester) Object.assign(deal, { from: event.requester, to: event.provider });
    if (event.event === 'escrow_locked') Object.assign(deal, { micro: event.amount, step: Math.max(deal.step, 2) });
    if (event.event === 'escrow_delivered') deal.step = Math.max(deal.step, 3);
    if (event.event === 'escrow_disputed' || event.event === 'escrow_contested') deal.disputed = true;
    if (ENDS[event.event] === undefined) continue;
    deal.ended = ENDS[event.event];
    deal.step = STEPS.length;
    deal.micro ??= event.amount;
  }
  // A deal without money has no end on the ledger; it is over once it was delivered and rated.
  for (const deal of deals.values()) {
    const isFree = deal.micro === undefined && deal.ended === undefined && !deal.disputed;
    if (isFree && deal.step === 3 && rated.has(deal.conversation))
      Object.assign(deal, { ended: 'done', step: STEPS.length });
  }
  return [...deals.values()].sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** The state of a deal in a word. */
export function dealState({ ended, disputed, step }) {
  if (ended !== undefined) return ended;
  return disputed ? 'disputed' : (STEPS[step - 1] ?? 'offered');
}

export function escrowState(state) {
  return OUTCOME[state] ?? state;
}
