import { parseUsdc } from '../../core/platform/usdc.ts';
import type { SettlementEvent } from '../../core/protocol/settlement/events.ts';
import { ask } from './actors/calls.ts';
import { isEnd } from './books.ts';
import { HONEST, type Name, type World } from './world.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  escrow_approved: 'released',
  escrow_claimed: 'claimed',
  escrow_refunded: 'refunded',
  escrow_reclaimed: 'reclaimed',
  escrow_decided: 'decided',
  escrow_split: 'split',
};

/** What a node tells that the ledger does not. */
export interface WrongRecord {
  readonly what: string;
  readonly conversation?: string;
  /** How the node sees the deal. */
  readonly seen?: string;
}

/** Every honest node tells of its deals, its stake, its lease and its spendings what the ledger tells; what is wrong. */
export async function wrongRecords(world: World): Promise<readonly WrongRecord[]> {
  const found: WrongRecord[] = [];
  for (const name of HONEST) {
    for (const deal of await allDeals(world, name)) found.push(...wrongDeal(world, name, deal));
    found.push(...(await wrongAccount(world, name)), ...(await wrongSpendings(world, name)));
  }
  return found;
}

async function allDeals(world: World, name: Name): Promise<any[]> {
  const found: any[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const cursor = before === '' ? '' : `&before=${encodeURIComponent(before)}`;
    const page = await ask(world, name, `/deals?limit=100${cursor}`);
    if (!page) throw new Error(`${name} does not show its deals`);
    found.push(...page.deals);
    before = page.next;
  }
  return found;
}

/** What of a deal's view is not what the ledger shows; nothing where it is. */
function dealProblem({ books, dust }: World, deal: any): string | undefined {
  const { role, requester, provider, conversation_id: conversation, escrow, payment } = deal;
  const events = books.escrow({ requester, provider, conversation });
  const payments = [...books.movements.values()].filter(({ paid }) => paid === conversation);
  if (payment?.status === 'recorded') return 'its payment is still under way';
  if (payment?.status === 'confirmed' && !payments.some(({ signature }) => signature === payment.signature))
    return `its payment ${payment.signature} is not on the ledger`;
  if (dust.has(conversation))
    return escrow.locked_at === undefined ? undefined : 'it counts a lock that was not agreed';
  if (events.length === 0) return escrow.locked_at === undefined ? undefined : 'its lock is not on the ledger';
  if (escrow.locked_at === undefined)
    return role === 'provider' && isLate(deal, events) ? undefined : 'it does not show its lock';
  const end = events.find(({ name }) => name in OUTCOMES);
  if (end && escrow.outcome !== OUTCOMES[end.name]) return `it ended by ${end.name}, and is shown as ${escrow.outcome}`;
  if (!events.some(isEnd)) return undefined;
  const [toProvider, toRequester, burnt] = (['toProvider', 'toRequester', 'burnt'] as const).map((member) =>
    paidOut(events, member),
  );
  const shown = [escrow.to_provider_usdc_micro, escrow.to_requester_usdc_micro, escrow.burnt_usdc_micro];
  const right = [toProvider, toRequester, burnt].map(Number);
  return String(shown) === String(right) ? undefined : `it shows payouts of ${shown} in place of ${right}`;
}

/** A lock that landed too late obliges nobody: the provider does not count it. */
function isLate(deal: any, events: readonly SettlementEvent[]): boolean {
  const lock = events.find(({ name }) => name === 'escrow_locked');
  return lock !== undefined && lock.time > Math.floor(Date.parse(deal.deadline) / 1_000 - deal.deadline_secs / 2);
}

function wrongDeal(world: World, name: Name, deal: any): WrongRecord[] {
  const problem = dealProblem(world, deal);
  if (problem === undefined) return [];
  const { state, escrow, payment, history, conversation_id: conversation } = deal;
  const seen = { state, escrow, payment, events: history.map(({ event }: any) => event) };
  return [{ what: `a deal of ${name}: ${problem}`, conversation, seen: `${name} sees ${JSON.stringify(seen)}` }];
}

async function wrongAccount(world: World, name: Name): Promise<WrongRecord[]> {
  const [stake, lease, account] = await Promise.all([
    ask(world, name, '/stake'),
    ask(world, name, '/lease'),
    world.settlement.agent(world.idOf(name)),
  ]);
  const shown = [stake?.stake_usdc_micro, stake?.open_accusations, lease?.paid_through].map(String).join();
  const right = [account?.stake ?? 0, 0, account?.paidThrough ?? 0].map(String).join();
  return shown === right ? [] : [{ what: `${name} shows stake, accusations, lease ${shown} in place of ${right}` }];
}

/** What counts as spent is at least what left the wallet. */
async function wrongSpendings(world: World, name: Name): Promise<WrongRecord[]> {
  const caps = await ask(world, name, '/portfolio/caps');
  let left = 0n;
  for (const { at, deltas } of world.books.movements.values()) {
    const delta = deltas.get(world.idOf(name)) ?? 0n;
    if (delta < 0n && at > world.now - 23 * 3_600) left -= delta;
  }
  const used = parseUsdc(caps?.day.used_usdc ?? '0')!;
  return used >= left ? [] : [{ what: `${name} counts ${used} as spent in a day in which ${left} left its wallet` }];
}

function paidOut(events: readonly SettlementEvent[], member: 'toProvider' | 'toRequester' | 'burnt'): bigint {
  return events.reduce((sum, event) => sum + (member in event ? ((event as never)[member] as bigint) : 0n), 0n);
}
