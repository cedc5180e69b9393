import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../platform/clock.ts';
import { shownUsdc } from '../../../platform/usdc.ts';
import type { Deal } from '../deal-watch.ts';
import { AgentInbox } from '../inbox.ts';
import type { DevAgent, DevMesh, DevNode } from '../mesh.ts';
import { NarratedVoice } from '../narrated-voice.ts';
import type { Narrator } from '../narrator.ts';
import { Patience } from '../patience.ts';
import { Wakeup } from '../wakeup.ts';
import { characterOf } from './character.ts';
import { errandCalendar, type Planned } from './errand-calendar.ts';
import { BUYERS, NOTARY, PEOPLE, type Person, WITH_NOTARY } from './people.ts';
import { Townsperson } from './townsperson.ts';

export interface TownOptions {
  readonly mesh: DevMesh;
  readonly narrator: Narrator;
  readonly clock: Clock;
  readonly seed: string;
  /** Ends after this many settled deals. */
  readonly deals: number | undefined;
  readonly signal: AbortSignal;
  /** Told of every settled deal, with their number. */
  readonly settled?: (count: number) => void;
}

/** An agent looks at its deals at least this often, and soon after a letter. */
const LOOK = 1_500;
const PATIENCE = 120_000;
/** Errands whose deals have not ended; more wait, so that a slow machine is not buried. */
const MOST_OPEN = 16;
/** After this long an errand is not waited for any more. */
const FORGOTTEN = 60_000;
const REFILL = 60_000;
const PRECISION = 2;
/** Places in which one agent waits for the end of the town, at most. */
const LISTENERS = 10;

/** Columns of the longest name with two beside it. */
export const NAMES_WIDTH = Math.max(...PEOPLE.map(({ name }) => name.length)) + 2;

export const TOWN: readonly DevAgent[] = PEOPLE.map(({ name }) => ({
  name,
  buys: BUYERS.includes(name),
  hasMoney: true,
}));

export function aboutPerson(name: string): string | undefined {
  return PEOPLE.find((person) => person.name === name)?.about;
}

/**
 * Lets nine agents trade over the public APIs of their nodes until enough deals are settled or the signal is aborted; gives the
 * number of settled deals. With `deals` it rejects when none settles for two minutes.
 */
export async function runTown(options: TownOptions): Promise<number> {
  const { mesh, narrator, clock, seed, deals, signal } = options;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  // Every agent of the town waits for it in several places; Node takes more than ten for a leak.
  setMaxListeners(PEOPLE.length * LISTENERS, stop);
  const names = new Map(mesh.nodes.map(({ agentId, name }) => [agentId, name]));
  const byName = new Map(mesh.nodes.map((node) => [node.name, node]));
  const patience = new Patience(clock, PATIENCE, (reason) => {
    if (deals !== undefined) ended.abort(new Error(reason));
    else narrator.tell('trouble', `\n${reason}`, { text: reason });
  });
  const voiceOf = (name: string) => new NarratedVoice(name, { narrator, patience, stop, byDeal: false });
  let count = 0;

  function settled(): void {
    if (stop.aborted) return;
    count += 1;
    patience.renew();
    narrator.line('settled', '', `${count} ${count === 1 ? 'deal' : 'deals'} settled so far`, { settled: count });
    options.settled?.(count);
    if (deals !== undefined && count >= deals) ended.abort();
  }

  const working = PEOPLE.map((person) => live(person, byName.get(person.name)!));
  await Promise.all([...working, send(), refill()]);
  patience.end();
  if (ended.signal.aborted && deals !== undefined && count < deals) throw ended.signal.reason;
  return count;

  /** One agent with its node: it says what it does, puts its stake down, and attends to its deals. */
  async function live(person: Person, node: DevNode): Promise<void> {
    const voice = voiceOf(person.name);
    const wake = new Wakeup(clock, LOOK, stop);
    const inbox = new AgentInbox(node.client, () => wake.ring());
    const listening = inbox.read(stop).catch((error: unknown) => voice.stumble(error));
    const character = characterOf(person, seed);
    const nameOf = (id: string) => names.get(id) ?? id;
    const done = (deal: Deal) => deal.state === 'settled' && settled();
    const agent = new Townsperson({ person, node: node.client, inbox, character, voice, nameOf, settled: done });
    await introduce(person, node).catch((error: unknown) => voice.stumble(error));
    for await (const _ of wake) await agent.look().catch((error: unknown) => voice.stumble(error));
    await listening;
  }

  async function send(): Promise<void> {
    const open: { readonly node: DevNode; readonly conversation: string; readonly until: number }[] = [];
    for (const planned of errandCalendar(seed)) {
      await pause(planned.pause);
      while (!stop.aborted && open.length >= MOST_OPEN) {
        await pause(LOOK);
        await forgetEnded(open);
      }
      if (stop.aborted) return;
      const node = byName.get(planned.errand.from)!;
      const voice = voiceOf(planned.errand.from);
      try {
        const deal = await propose(planned, node);
        open.push({ node, conversation: deal.conversation_id, until: clock.now() + FORGOTTEN });
        const price =
          deal.amount_usdc_micro === 0 ? 'asks a favour of' : `offers ${shownUsdc(deal.amount_usdc)} USDC to`;
        voice.say('propose', `${price} ${planned.errand.to}: ${planned.message}`, deal);
      } catch (error) {
        voice.stumble(error);
      }
      await forgetEnded(open);
    }
  }

  async function propose({ errand: { to, offer }, message }: Planned, { client, name }: DevNode): Promise<Deal> {
    const hasNotary = offer >= WITH_NOTARY && ![name, to].includes(NOTARY);
    const { deal } = await client.propose({
      ...{ recipient: byName.get(to)!.agentId, message, max_rounds: 2, amount_usdc: offer.toFixed(PRECISION) },
      ...(offer === 0 && { escrow: false }),
      ...(hasNotary && { notary: byName.get(NOTARY)!.agentId }),
    });
    return deal;
  }

  async function forgetEnded(open: { node: DevNode; conversation: string; until: number }[]): Promise<void> {
    const left = [];
    for (const one of open) {
      const deal = await one.node.client.deal(one.conversation).catch(() => undefined);
      const isOpen = !deal || ['proposed', 'countered', 'accepted', 'delivered'].includes(deal.state);
      if (isOpen && clock.now() < one.until) left.push(one);
    }
    open.splice(0, open.length, ...left);
  }

  async function refill(): Promise<void> {
    while (!stop.aborted) {
      await pause(REFILL);
      if (!stop.aborted) await mesh.refill().catch((error: Error) => patience.trouble(error.message));
    }
  }

  function pause(ms: number): Promise<void> {
    return clock.sleep(ms, stop).catch(() => {});
  }
}

async function introduce(person: Person, { client }: DevNode): Promise<void> {
  const { capabilities, description, prices, stake } = person;
  if (capabilities.length > 0)
    await client.advertise({ capabilities: [...capabilities], description, price_range_usd: [...prices] });
  if (stake && (await client.stake()).state === 'none') await client.addStake({ amount_usdc: stake });
}
