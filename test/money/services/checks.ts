import type { Errand, Errands } from './errands.ts';
import type { Purchases } from './purchases.ts';
import { FLOAT, FUNDS, type ServicesWorld } from './world.ts';

const SHARE_LAMPORTS = 2_010_000;
const ENDED = new Set(['done', 'failed']);

interface Paid {
  readonly agent: 'ann' | 'ben';
  readonly body: any;
}

/** Every withdrawal and payout as the aggregator tells of it; undefined when it could not be asked. */
async function withdrawalsOf(world: ServicesWorld): Promise<readonly Paid[] | undefined> {
  const found: Paid[] = [];
  for (const agent of ['ann', 'ben'] as const) {
    const refs = new Set<string>();
    for (let before = ''; ; ) {
      const page = await world.bill('GET', `/billing/history?limit=50${before}`, undefined, {}, agent);
      if (page.status !== 200) return undefined;
      for (const { kind, ref } of page.body.entries) if (kind === 'reserve') refs.add(ref);
      if (page.body.entries.length < 50) break;
      before = `&before=${page.body.entries.at(-1).id}`;
    }
    for (const id of refs) {
      const { status, body } = await world.bill('GET', `/billing/withdrawals/${id}`, undefined, {}, agent);
      if (status !== 200) return undefined;
      found.push({ agent, body });
    }
  }
  return found;
}

async function balanceOf(world: ServicesWorld, agent: 'ann' | 'ben'): Promise<any> {
  const id = agent === 'ann' ? world.annId : world.ben.id;
  return (await world.bill('GET', `/billing/balance/${id}`, undefined, {}, agent)).body;
}

/** Whether all that was asked for has come to its end, and all that came in is in the books. */
export async function isQuiet(world: ServicesWorld, errands: Errands, purchases: Purchases): Promise<boolean> {
  if (errands.open > 0 || !(await purchases.isQuiet())) return false;
  const withdrawals = await withdrawalsOf(world);
  if (!withdrawals?.every(({ body }) => ENDED.has(body.status))) return false;
  const income = { ann: errands.deposited + errands.atGateway, ben: soldOf(errands) };
  for (const agent of ['ann', 'ben'] as const) {
    const { balance_usdc } = await balanceOf(world, agent);
    if (units(balance_usdc) + gone(withdrawals, agent) !== income[agent]) return false;
  }
  return true;
}

/** How many came to their end, of how many. */
export async function endsOf(world: ServicesWorld, { sales, all }: Errands): Promise<Record<string, number>> {
  const withdrawals = (await withdrawalsOf(world)) ?? [];
  const of = (kind: string, status: string) =>
    withdrawals.filter(({ body }) => body.kind === kind && body.status === status).length;
  return {
    'deals begun': sales.length,
    'deals settled': sales.filter(({ done }) => done).length,
    'payouts done': of('payout', 'done'),
    'withdrawals done': of('withdrawal', 'done'),
    'withdrawals given back': of('withdrawal', 'failed'),
    'launches done': all.filter(({ kind, answer }) => kind === 'launch' && answer).length,
  };
}

/** The books of everybody against the ledger, once everything was given time to end. */
export async function checkServices(world: ServicesWorld, errands: Errands, purchases: Purchases): Promise<void> {
  const wrong = (what: string, is: unknown, wanted: unknown) => {
    if (is !== wanted) world.notes.violated('books', `${what}: ${is} in place of ${wanted}`);
  };
  await world.told.check(world.notes, world);
  wrong('things that were asked for and never answered', errands.open, 0);
  const withdrawals = (await withdrawalsOf(world)) ?? [];
  checkAcknowledged(world, errands, withdrawals);
  for (const { body } of withdrawals) wrong(`withdrawal ${body.withdrawal_id} has ended`, ENDED.has(body.status), true);
  const income = { ann: errands.deposited + errands.atGateway, ben: soldOf(errands) };
  let kept = 0n;
  for (const agent of ['ann', 'ben'] as const) {
    const { balance_usdc, reserved_usdc } = await balanceOf(world, agent);
    wrong(`the balance of ${agent}`, units(balance_usdc), income[agent] - gone(withdrawals, agent));
    wrong(`reserved for ${agent}`, reserved_usdc, '0');
    kept += units(balance_usdc);
  }
  const done = withdrawals.filter(({ body }) => body.status === 'done').map(({ body }) => body);
  const here = done.filter(({ destination_chain }) => destination_chain === 'solana');
  const away = done.filter(({ destination_chain }) => destination_chain !== 'solana');
  wrong('paid outside on Solana', await world.held(errands.outside), sum(here, 'amount_usdc') + 1n);
  wrong('mints', world.attestation.mints.size, away.length);
  for (const { signature, received_usdc } of away)
    wrong(`the mint of ${signature}`, world.attestation.mints.get(signature)?.amount, units(received_usdc));
  // A payment or a burn that was made twice would be missing here.
  let held = await world.held(world.wallet);
  for (const address of errands.addresses.values()) held += await world.held(address);
  const fees = sum(away, 'platform_fee_usdc');
  wrong('in the wallet and at deposit addresses', held, FLOAT + kept + fees - errands.atGateway);
  await checkAda(world, errands, await purchases.check(world.notes), wrong);
  for (const complaint of world.attestation.complaints) world.notes.violated('answers', complaint);
}

/** Whatever was acknowledged is there, once. */
function checkAcknowledged(world: ServicesWorld, { all }: Errands, withdrawals: readonly Paid[]): void {
  const own = withdrawals.filter(({ agent }) => agent === 'ann').map(({ body }) => body.withdrawal_id);
  const acknowledged = all.filter(({ kind, answer }) => kind === 'withdraw' && answer);
  for (const { key, answer } of acknowledged)
    if (!own.includes(answer.withdrawal_id)) world.notes.violated('acknowledged', `${key} is not in the books`);
  const ids = new Set(acknowledged.map(({ answer }) => answer.withdrawal_id));
  if (ids.size !== acknowledged.length || own.length !== ids.size)
    world.notes.violated('paid-once', `${acknowledged.length} withdrawals were asked for, ${own.length} are there`);
}

async function checkAda(
  world: ServicesWorld,
  errands: Errands,
  paidToSam: bigint,
  wrong: (what: string, is: unknown, wanted: unknown) => void,
): Promise<void> {
  const { ada, launchpad } = world;
  const done = errands.all.filter(({ kind, answer }) => kind !== 'withdraw' && answer);
  const landed = new Set<Errand>();
  for (const errand of done) {
    const has = await world.landed(errand.answer.txid);
    if (has) landed.add(errand);
    if (!has && errand.answer.status === 'final')
      world.notes.violated('acknowledged', `${errand.key} was final, and is not on the ledger`);
  }
  /** Each is there once, or, where its answer left that open, never. */
  const once = (what: string, is: bigint, parts: readonly Errand[], each: bigint) => {
    const sure = parts.filter((one) => landed.has(one));
    const open = parts.filter((one) => !landed.has(one)).map(({ amount }) => amount * each);
    const least = sure.reduce((all, { amount }) => all + amount * each, 0n);
    if (sumsOf(open).has(is - least)) return;
    const { notes } = world;
    for (const { key, amount } of parts)
      for (const line of notes.deal(key).lines) notes.deal(what).lines.push(`${key} of ${amount}, ${line}`);
    notes.violated('paid-once', `${what}: ${is} in place of ${least}, and some of ${open.join(', ')}`, what);
  };
  for (const launch of done.filter(({ kind }) => kind === 'launch')) {
    const mint = launch.answer.token_mint;
    const bought = done.filter((one) => one.kind === 'buy' && one.about === mint);
    once(`the tokens of ${launch.about}`, await world.held(ada.id, mint), [launch, ...bought], 1_000n);
    for (const other of launchpad.tokensOf(launch.about).filter((one) => one !== mint))
      wrong(`a second token of ${launch.about}`, await world.lamports(other), 0);
    wrong(`the fee share of ${launch.about}`, await world.lamports(launchpad.configOf(mint)!), SHARE_LAMPORTS);
  }
  const [swaps, orders] = (['swap', 'order'] as const).map((kind) => done.filter((one) => one.kind === kind));
  once('DEMO of ada', await world.held(ada.id, world.demo), swaps!, 2n);
  once(
    'USDC that ada spent',
    FUNDS - soldOf(errands) - paidToSam - (await world.held(ada.id)),
    [...swaps!, ...orders!],
    1n,
  );
}

function sumsOf(parts: readonly bigint[]): ReadonlySet<bigint> {
  const sums = [0n];
  for (const part of parts) sums.push(...sums.map((one) => one + part));
  return new Set(sums);
}

function soldOf({ sales }: Errands): bigint {
  return sales.filter(({ done }) => done).reduce((all, { amount }) => all + amount, 0n);
}

function gone(withdrawals: readonly Paid[], of: Paid['agent']): bigint {
  return sum(
    withdrawals.filter(({ agent, body }) => agent === of && body.status !== 'failed').map(({ body }) => body),
    'amount_usdc',
  );
}

function sum(rows: readonly any[], field: string): bigint {
  return rows.reduce((all, row) => all + units(row[field]), 0n);
}

function units(decimal: string): bigint {
  return BigInt(Math.round(Number(decimal) * 1e6));
}
