import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allowedActions } from '../../core/protocol/deals/actions.ts';
import { advance, attempt } from '../../core/protocol/deals/advance.ts';
import { DEAL_STATES, type Deal, lastOffer } from '../../core/protocol/deals/deal.ts';
import type { DealEvent, MessageEvent, ProposeEvent } from '../../core/protocol/deals/events.ts';
import { deadlineOf } from '../../core/protocol/deals/moments.ts';
import { openDeal } from '../../core/protocol/deals/open.ts';
import { nextTimer, onTimer } from '../../core/protocol/deals/timers.ts';
import { MAX_HISTORY } from '../support/max-history.ts';
import { ALICE, BOB, DAY, HOUR, NOTARY, T0 } from './builders.ts';

/** Two nodes, three senders and a ledger; every channel keeps its order and is as slow as the run likes. */
class World {
  now = T0;
  serial = 0;
  readonly deals = new Map<string, Deal>();
  readonly queues = new Map<string, DealEvent[]>();
  readonly held = new Map<string, DealEvent[]>();
  readonly wasFinal = new Map<string, string>();
  readonly visited: Set<string>;
  chain: 'none' | 'locked' | 'delivered' | 'disputed' | 'contested' | 'closed' = 'none';
  offer = 0;
  chainAt = 0;

  constructor(visited: Set<string>) {
    this.visited = visited;
  }

  stamp(by: string) {
    this.serial += 1;
    // The hash decides which of two crossing proposals wins, so ids must not be in order of time.
    return { id: `${(this.serial * 7919) % 1009}-${this.serial}`, by, at: this.now };
  }

  broadcast(event: DealEvent, from: string) {
    for (const to of [ALICE, BOB]) if (to !== from) this.queue(from, to).push(event);
  }

  queue(from: string, to: string): DealEvent[] {
    const name = `${from}>${to}`;
    if (!this.queues.has(name)) this.queues.set(name, []);
    return this.queues.get(name)!;
  }

  deliver(from: string, to: string) {
    const event = this.queue(from, to).shift();
    if (event) this.take(to, event);
  }

  deliverSome(to: string, pick: number) {
    const waiting = [ALICE, BOB, NOTARY, 'chain'].filter((from) => this.queue(from, to).length > 0);
    if (waiting.length > 0) this.deliver(waiting[pick % waiting.length]!, to);
  }

  take(node: string, event: DealEvent) {
    const deal = this.deals.get(node);
    const step = deal ? advance(deal, event) : event.type === 'propose' ? openDeal(event) : undefined;
    if (!step || (!step.ok && step.premature)) {
      this.held.set(node, [...(this.held.get(node) ?? []), event]);
    } else if (step.ok) {
      this.put(node, step.deal);
      if (step.outcome !== 'applied') return;
      const waiting = this.held.get(node) ?? [];
      this.held.set(node, []);
      for (const early of waiting) this.take(node, early);
    }
  }

  put(node: string, deal: Deal) {
    const before = this.wasFinal.get(node);
    if (before) assert.equal(deal.state, before, 'a final state stays');
    if (deal.final) this.wasFinal.set(node, deal.state);
    else assert.ok(nextTimer(deal), `${deal.state} waits without a timer`);
    assert.ok(deal.history.length <= MAX_HISTORY);
    assert.deepEqual(JSON.parse(JSON.stringify(deal)), deal, 'a deal is plain JSON');
    this.visited.add(deal.state);
    this.deals.set(node, deal);
  }

  tick(node: string) {
    const deal = this.deals.get(node);
    if (deal) this.put(node, onTimer(deal, this.now).deal);
  }

  ledger(type: DealEvent['type'], rest: Record<string, unknown> = {}) {
    const event = { ...this.stamp('chain'), type, ...rest } as unknown as DealEvent;
    for (const to of [ALICE, BOB]) this.queue('chain', to).push(event);
  }
}

interface Command {
  readonly kind: 'act' | 'receive' | 'wait' | 'chain' | 'tick';
  readonly who: number;
  readonly pick: number;
}

const commands = fc.array(
  fc.record<Command>({
    kind: fc.constantFrom('act', 'act', 'act', 'receive', 'receive', 'receive', 'wait', 'chain', 'chain', 'tick'),
    who: fc.nat(1),
    pick: fc.nat(1000),
  }),
  { minLength: 10, maxLength: 80 },
);

const setup = fc.record({
  amount: fc.constantFrom('0', '5000000', '5000000'),
  escrow: fc.boolean(),
  notary: fc.boolean(),
  bothPropose: fc.boolean(),
  steps: commands,
  end: fc.nat(1000),
});

describe('two nodes that hold one deal', () => {
  it('agree on its end, however their messages cross', function () {
    // It computes, and ends in one go: on a busy machine that takes minutes.
    this.timeout(300_000);
    const visited = new Set<string>();
    fc.assert(
      fc.property(setup, (run) => play(run, visited)),
      { numRuns: 500, seed: 2026 },
    );
    assert.deepEqual([...visited].sort(), [...DEAL_STATES].sort(), 'the runs reach every state');
  });
});

interface Run {
  readonly amount: string;
  readonly escrow: boolean;
  readonly notary: boolean;
  readonly bothPropose: boolean;
  readonly steps: Command[];
  /** How the ledger moves when all has been said. */
  readonly end: number;
}

function play(run: Run, visited: Set<string>) {
  const world = new World(visited);
  const escrow = run.escrow && run.amount !== '0';
  const notary = run.notary ? NOTARY : null;
  for (const [by, to] of run.bothPropose
    ? [
        [ALICE, BOB],
        [BOB, ALICE],
      ]
    : [[ALICE, BOB]]) {
    const event: ProposeEvent = {
      ...world.stamp(by!),
      type: 'propose',
      to: to!,
      conversation: 'c',
      terms: { amount: run.amount, escrow, notary },
    };
    world.take(by!, event);
    world.broadcast(event, by!);
  }
  for (const command of run.steps) step(world, command, escrow);
  settleDown(world, escrow, run.end);
  const [left, right] = [world.deals.get(ALICE)!, world.deals.get(BOB)!];
  assert.deepEqual(essence(left), essence(right));
  assert.ok(left.final && right.final);
}

function step(world: World, command: Command, escrow: boolean) {
  const me = command.who === 0 ? ALICE : BOB;
  if (command.kind === 'wait') world.now += command.pick * 1_000 * (command.pick % 7 === 0 ? 600 : 1);
  if (command.kind === 'tick') world.tick(me);
  if (command.kind === 'receive') world.deliverSome(me, command.pick);
  if (command.kind === 'act') act(world, me, command.pick);
  if (command.kind === 'chain') moveLedger(world, command.pick, escrow);
  // Nothing travels longer than an envelope may.
  if (command.kind === 'wait') deliverOld(world);
}

function deliverOld(world: World) {
  for (const [name, queue] of world.queues) {
    const [from, to] = name.split('>') as [string, string];
    while (queue[0] && world.now - queue[0].at > 3 * DAY) world.deliver(from, to);
  }
}

function act(world: World, me: string, pick: number) {
  const deal = world.deals.get(me);
  const who = pick % 5 === 0 ? NOTARY : me;
  if (!deal) return;
  const actions = allowedActions(deal, who, world.now);
  const hopeful = actions.filter((action) => action !== 'reject' || pick % 11 === 0);
  const type = hopeful[pick % Math.max(1, hopeful.length)];
  const event = type && message(world, deal, who, type, pick);
  if (!event) return;
  const result = attempt(deal, event);
  assert.ok(result.ok, `allowed but refused: ${type} ${result.ok ? '' : result.detail}`);
  if (who === NOTARY) {
    world.broadcast(event, NOTARY);
    return;
  }
  world.take(me, event);
  world.broadcast(event, me);
}

function message(world: World, deal: Deal, by: string, type: string, pick: number): MessageEvent | undefined {
  const stamp = world.stamp(by);
  const offer = lastOffer(deal);
  switch (type) {
    case 'counter':
      return { ...stamp, type, terms: { amount: offer.amount === '0' ? '0' : String(1_000_000 + pick) } };
    case 'accept':
      return { ...stamp, type, offer: offer.id, amount: offer.amount };
    case 'reject':
      return { ...stamp, type, offer: offer.id };
    case 'deliver':
      return { ...stamp, type };
    case 'dispute':
      return deal.dispute ? undefined : { ...stamp, type, offer_bps: pick };
    case 'verdict':
      return { ...stamp, type, outcome: pick % 2 ? 'approve' : 'reject' };
    default:
      return undefined;
  }
}

/** What the program would allow, in its own order of time. */
function moveLedger(world: World, pick: number, escrow: boolean) {
  const deal = world.deals.get(ALICE)!.accepted ? world.deals.get(ALICE)! : world.deals.get(BOB);
  if (!deal?.accepted || deal.offers.length === 0 || lastOffer(deal).amount === '0') return;
  const due = deadlineOf(deal);
  if (!escrow) {
    const amount = pick % 3 === 0 ? '1000000' : lastOffer(deal).amount;
    if (allowedActions(deal, deal.requester, world.now).includes('pay')) world.ledger('paid', { amount });
  } else if (world.chain === 'none') {
    if (allowedActions(deal, deal.requester, world.now).includes('lock')) close(world, 'locked', 'locked');
  } else if (world.chain !== 'closed') moveEscrow(world, deal, pick, due);
}

function moveEscrow(world: World, deal: Deal, pick: number, due: number) {
  const choice = pick % 6;
  if (choice === 0 && pick % 4 === 0) return close(world, 'closed', 'released', paid('5', '2', '0'));
  if (choice === 1 && pick % 4 === 1) return close(world, 'closed', 'refunded', paid('0', '7', '0'));
  if (world.chain === 'locked') {
    if (world.now >= due) return close(world, 'closed', 'reclaimed', paid('0', '7', '0'));
    const named = deal.delivery?.id ?? (choice === 2 ? 'a-delivery-that-never-came' : undefined);
    if (named) close(world, 'delivered', 'escrow_delivered', { delivery: named });
  } else if (world.chain === 'delivered') {
    const end = world.chainAt + lastOffer(deal).review_secs * 1000;
    if (world.now >= end) return close(world, 'closed', 'claimed', paid('5', '2', '0'));
    if (choice > 3) dispute(world, pick);
  } else moveDispute(world, deal, pick, choice);
}

/** Raised, contested, decided by the notary, or split: at once where nobody can decide, else after three days. */
function moveDispute(world: World, deal: Deal, pick: number, choice: number) {
  const due = world.now >= world.chainAt + 3 * DAY;
  if (world.chain === 'contested') {
    const { notary } = lastOffer(deal);
    if (notary && !due && choice % 2 === 0) close(world, 'closed', 'decided', paid('6', '9', '0'));
    else if (due || !notary) close(world, 'closed', 'split', paid('1', '2', '3'));
  } else if (due) close(world, 'closed', 'split', paid('1', '2', '0'));
  else if (choice === 5) dispute(world, world.offer + pick);
  else if (choice === 2) close(world, 'contested', 'escrow_contested', { offer_bps: world.offer });
}

function dispute(world: World, offer: number) {
  const first = world.chain === 'delivered';
  if (!first && offer <= world.offer) return;
  world.offer = offer;
  if (first) close(world, 'disputed', 'escrow_disputed', { offer_bps: offer });
  else world.ledger('escrow_disputed', { offer_bps: offer });
}

function paid(to_provider: string, to_requester: string, burnt: string) {
  return { to_provider, to_requester, burnt, remaining: '0' };
}

function close(world: World, to: World['chain'], type: DealEvent['type'], rest = {}) {
  world.chain = to;
  world.chainAt = world.now;
  world.ledger(type, rest);
}

/** Everything arrives, everybody's timers run, the ledger is cranked until it has no more to say. */
function settleDown(world: World, escrow: boolean, end: number) {
  for (let round = 0; round < 36; round += 1) {
    for (const [name, queue] of world.queues)
      while (queue.length > 0) world.deliver(...(name.split('>') as [string, string]));
    for (const node of [ALICE, BOB]) world.tick(node);
    if (escrow) moveLedger(world, end + 5 * round, escrow);
    world.now += 60 * HOUR;
  }
}

function essence(deal: Deal) {
  const { state, reason, against, requester, provider, accepted, delivery, paid, escrow } = deal;
  const agreed = accepted ? lastOffer(deal) : null;
  const detail = state === 'rejected' ? null : reason;
  return { state, detail, against, requester, provider, accepted, delivery, paid, agreed, escrow };
}
