import type { SettlementEvent } from '../../core/protocol/settlement/events.ts';
import { ask } from './actors/calls.ts';
import type { EscrowHistory, Movement } from './books.ts';
import { effects, isOpen } from './books.ts';
import { wrongRecords } from './records.ts';
import { CAPS, HONEST, NAMES, type Name, USDC, type World } from './world.ts';

/** The rules that hold at every moment, whatever is under way. */
export async function checkAlways(world: World): Promise<void> {
  await world.books.read();
  await checkSum(world);
  checkExplained(world);
  checkPaidOnce(world);
  checkStakes(world);
  checkHonest(world);
  checkCaps(world);
  await checkLeases(world);
}

/** All USDC that was minted is in a wallet, in a vault of an escrow or of a stake, or burnt. */
async function checkSum(world: World): Promise<void> {
  const { books, notes, minted } = world;
  for (let attempt = 0; ; attempt += 1) {
    const seen = books.events.length;
    const burnt = sum(books.events.map((event) => ('burnt' in event ? event.burnt : 0n)));
    const [supply, open, agents] = await Promise.all([
      books.supply(),
      books.openEscrows(),
      books.settlement.agents(NAMES.map((name) => world.idOf(name))),
    ]);
    const wallets = await Promise.all(books.wallets.map((wallet) => books.ledger.usdc(wallet)));
    const vaults = await Promise.all(open.map(({ vault }) => books.held(vault)));
    const stakes = agents.value.map((agent) => agent?.stake ?? 0n);
    await books.read();
    // Something happened between two reads: they are not of the same moment.
    if (books.events.length !== seen && attempt < 10) continue;
    if (supply !== minted - burnt) notes.violated('books', `supply ${supply}, minted ${minted}, burnt ${burnt}`);
    const held = sum(wallets) + sum(vaults) + sum(stakes);
    if (held !== supply)
      notes.violated('books', `supply ${supply}, held ${held}: wallets ${wallets}, vaults ${vaults}, stakes ${stakes}`);
    for (const [index, { state, amount, bond, conversation }] of open.entries())
      if (state !== 'splitting' && vaults[index] !== amount + bond)
        notes.violated('books', `a vault holds ${vaults[index]} of ${amount} + ${bond}`, conversation);
    return;
  }
}

/** Whatever entered or left an honest wallet is a step of the program or a payment that names a deal of it. */
function checkExplained(world: World): void {
  const { books, notes } = world;
  for (const movement of books.movements.values())
    for (const name of HONEST) {
      const delta = movement.deltas.get(world.idOf(name)) ?? 0n;
      if (delta === 0n) continue;
      if (movement.events.length > 0) {
        const expected = sum(
          movement.events
            .flatMap((event) => effects(event, world.treasury))
            .map(([wallet, amount]) => (wallet === world.idOf(name) ? amount : 0n)),
        );
        if (delta !== expected)
          notes.violated(
            'explained',
            `${name} ${delta} in place of ${expected} by ${names(movement.events)} ${movement.signature}`,
            conversationOf(movement),
          );
      } else if (delta < 0n && movement.paid === undefined) {
        notes.violated('explained', `${name} lost ${-delta} by ${movement.signature}, and no step says why`);
      }
    }
}

/** One lock or one payment per deal, of the agreed amount. */
function checkPaidOnce(world: World): void {
  const { books, notes } = world;
  const paid = new Map<string, { name: Name; amount: bigint; times: number }>();
  for (const { paid: conversation, deltas, events } of books.movements.values()) {
    if (conversation === undefined || events.length > 0) continue;
    for (const name of HONEST) {
      const delta = deltas.get(world.idOf(name)) ?? 0n;
      if (delta >= 0n) continue;
      const before = paid.get(conversation) ?? { name, amount: 0n, times: 0 };
      paid.set(conversation, { name, amount: before.amount - delta, times: before.times + 1 });
    }
  }
  for (const history of books.escrows.values()) {
    const name = honestName(world, history.requester);
    if (!name) continue;
    const { conversation } = history;
    const locks = history.events.filter((event) => event.name === 'escrow_locked').length;
    if (locks > 1) notes.violated('paid-once', `${name} locked ${locks} times`, conversation);
    const also = paid.get(conversation);
    if (locks > 0 && also?.name === name)
      notes.violated('paid-once', `${name} locked and paid ${also.amount}`, conversation);
  }
  for (const [conversation, { name, amount, times }] of paid)
    if (times > 1) notes.violated('paid-once', `${name} paid ${times} times, ${amount} in all`, conversation);
}

/** A stake that was asked for once, under its own key and with an amount of its own, is paid once at most. */
function checkStakes({ books, notes, ...rest }: World): void {
  void rest;
  for (const { who, amount } of notes.stakes) {
    const times = books.events.filter((event) => event.name === 'stake_added' && event.amount === amount).length;
    if (times > 1) notes.violated('stake-once', `${who} staked ${amount} ${times} times`);
  }
}

/** No epoch of a lease is paid that is neither due nor asked for. */
async function checkLeases(world: World): Promise<void> {
  const { settlement } = world;
  const [{ value: agents }, { epoch }] = await Promise.all([
    settlement.agents(HONEST.map((name) => world.idOf(name))),
    settlement.time(),
  ]);
  for (const [index, name] of HONEST.entries()) {
    const asked = world.notes.leases.filter(({ who }) => who === name).map(({ through }) => through);
    const most = Math.max(epoch, ...asked);
    const paid = agents[index]?.paidThrough ?? 0;
    if (paid > most)
      world.notes.violated('lease-once', `${name} paid its lease through ${paid}, nobody asked for more than ${most}`);
  }
}

/** Nobody honest is slashed, and nobody is paid for work that was not handed over. */
function checkHonest(world: World): void {
  const { books, notes } = world;
  for (const event of books.events)
    if (event.name === 'agent_slashed' && honestName(world, event.key))
      notes.violated('honest-slashed', `${honestName(world, event.key)} lost ${event.amount} as ${event.reason}`);
  for (const history of books.escrows.values()) {
    const { requester, provider, conversation, events } = history;
    const claimed = events.some(({ name }) => name === 'escrow_claimed');
    if (!claimed || !honestName(world, requester)) continue;
    // Mallory's lies name a delivery that nobody has sent.
    if (world.lies.has(conversation))
      notes.violated('undelivered-claimed', `${world.nameOf(provider)} claimed without delivering`, conversation);
  }
}

/** What left a wallet in any 23 hours is within the caps of 24; an hour is left for what lands late. */
function checkCaps(world: World): void {
  const { books, notes } = world;
  for (const name of HONEST) {
    const id = world.idOf(name);
    const out: { at: number; amount: bigint; partner: string | undefined }[] = [];
    for (const { deltas, at, events, paid } of books.movements.values()) {
      const delta = deltas.get(id) ?? 0n;
      if (delta >= 0n) continue;
      const lock = events.find((event) => event.name === 'escrow_locked');
      const partner =
        lock && 'provider' in lock ? lock.provider : paid && [...deltas].find(([, gained]) => gained > 0n)?.[0];
      out.push({ at, amount: -delta, partner });
      if (partner && -delta > BigInt(CAPS.maxEscrow) * USDC)
        notes.violated('caps', `${name} spent ${-delta} on one deal`);
    }
    for (const [first, { at, partner }] of out.entries()) {
      const window = out.slice(first).filter((one) => one.at < at + 23 * 3_600);
      const day = sum(window.map(({ amount }) => amount));
      if (day > BigInt(CAPS.maxPerDay) * USDC) notes.violated('caps', `${name} spent ${day} in a day from ${at}`);
      const with_ = sum(window.filter((one) => partner && one.partner === partner).map(({ amount }) => amount));
      if (with_ > BigInt(CAPS.maxPerPartnerPerDay) * USDC)
        notes.violated('caps', `${name} spent ${with_} with ${world.nameOf(partner!)} in a day from ${at}`);
    }
  }
  for (const event of books.events)
    if (event.name === 'stake_added' && honestName(world, event.key) && event.stake > BigInt(CAPS.maxStake) * USDC)
      notes.violated('caps', `${honestName(world, event.key)} has ${event.stake} at stake`);
}

/** The rules that hold once everything was given time to end. */
export async function checkSettled(world: World): Promise<void> {
  await checkAlways(world);
  const { books, notes } = world;
  for (const history of books.escrows.values())
    if (isOpen(history)) {
      await showDeal(world, history.conversation);
      notes.violated('settled', `an escrow is still open after ${names(history.events)}`, history.conversation);
    }
  checkAcknowledged(world);
  for (const { what, conversation, seen } of await wrongRecords(world)) {
    if (seen) notes.line(conversation, seen);
    notes.violated('records', what, conversation);
  }
}

/** Whether everything that was begun has come to its end, and every node knows it. */
export async function isQuiet(world: World): Promise<boolean> {
  await world.books.read();
  if ((await world.books.openEscrows()).length > 0) return false;
  // What was found before does not mend itself.
  return (await wrongRecords(world)).every(({ what, conversation }) =>
    world.notes.isKnown('records', what, conversation),
  );
}

/** Adds to a deal's history how its nodes see it now. */
async function showDeal(world: World, conversation: string): Promise<void> {
  for (const name of NAMES) {
    const deal = await ask(world, name, `/deals/${conversation}`);
    if (!deal) continue;
    const { state, escrow, allowed_actions, next_timer, history, payment, deadline } = deal;
    const events = history.map((one: any) => one.event);
    const seen = { state, deadline, escrow, allowed_actions, next_timer, events, payment };
    world.notes.line(
      conversation,
      `${name} sees ${JSON.stringify(seen)}; not ok: ${JSON.stringify(await ailing(world, name))}`,
    );
  }
}

/** The parts of a node that say that something is wrong. */
async function ailing(world: World, name: Name): Promise<object> {
  const { body } = await world.call(name, 'GET', '/ready');
  const parts = Object.entries({ ...body.plugins, ...body.services } as Record<string, { state: string }>);
  return Object.fromEntries(parts.filter(([, { state }]) => state !== 'ok'));
}

const SHOWN: Readonly<Record<string, string>> = {
  approve: 'escrow_approved',
  refund: 'escrow_refunded',
  reclaim: 'escrow_reclaimed',
  claim: 'escrow_claimed',
  dispute: 'escrow_disputed',
  raise: 'escrow_disputed',
  contest: 'escrow_contested',
};

/** What a node has acknowledged is on the ledger. */
function checkAcknowledged(world: World): void {
  const { books, notes } = world;
  for (const { conversation, done } of notes.deals.values()) {
    const histories = [...books.escrows.values()].filter((one) => one.conversation === conversation);
    const events = histories.flatMap((history) => history.events);
    for (const [step, round] of done) {
      const shown = SHOWN[step];
      if (shown && !events.some(({ name }) => name === shown))
        notes.violated(
          'acknowledged',
          `${step} was acknowledged in round ${round}, and the ledger shows ${names(events)}`,
          conversation,
        );
      if (step === 'lock' && events.length === 0)
        notes.violated(
          'acknowledged',
          `lock was acknowledged in round ${round}, and nothing is on the ledger`,
          conversation,
        );
      if (step === 'pay' && ![...books.movements.values()].some(({ paid }) => paid === conversation))
        notes.violated(
          'acknowledged',
          `a payment was acknowledged in round ${round}, and none is on the ledger`,
          conversation,
        );
    }
  }
  for (const { who, amount, acknowledged, lines } of notes.stakes) {
    if (!acknowledged || books.events.some((event) => event.name === 'stake_added' && event.amount === amount))
      continue;
    if (acknowledged === 'in doubt') notes.count('stakes that were acknowledged in doubt and never landed');
    else
      notes.violated(
        'acknowledged',
        `a stake of ${amount} of ${who} was acknowledged, and none is on the ledger: ${lines}`,
      );
  }
}

export function honestName(world: World, id: string): Name | undefined {
  return HONEST.find((name) => world.idOf(name) === id);
}

function conversationOf({ events }: Movement): string | undefined {
  const found = events.find((event) => 'conversation' in event);
  return found && 'conversation' in found ? found.conversation : undefined;
}

function names(events: EscrowHistory['events'] | readonly SettlementEvent[]): string {
  return events.map(({ name }) => name.replace('escrow_', '')).join(', ') || 'nothing';
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
