import type { NodeClient } from '../../client/node-client.ts';
import { shownUsdc } from '../../platform/usdc.ts';
import { type Deal, DealWatch } from './deal-watch.ts';
import type { AgentInbox } from './inbox.ts';
import { describeTask, type FileTask, isCurrent, nameOf, parseTask, textOf } from './task.ts';
import { textStatistics } from './text-statistics.ts';
import type { Voice } from './voice.ts';
import type { Wakeup } from './wakeup.ts';

export interface RequesterOptions {
  readonly node: NodeClient;
  readonly inbox: AgentInbox;
  /** Finds somebody who does the work; undefined while nobody is known. */
  readonly find: () => Promise<{ readonly agent_id: string; readonly name: string } | undefined>;
  /** The file to be counted, as a file URL. */
  readonly file: string;
  /** Its first offer, in USDC. */
  readonly offer: string;
  /** Milliseconds between the end of a deal and the next proposal. */
  readonly pause: number;
  readonly now: () => number;
  readonly voice: Voice;
  /** Wraps the rating of a worker, to see what it changes. */
  readonly rating: (deal: Deal, rate: () => Promise<void>) => Promise<void>;
  /** Called when a deal has been paid for and rated. */
  readonly settled: (deal: Deal) => void;
}

/**
 * An agent that has a file counted again and again. Like the worker it keeps no state: it does what the deals of its
 * node are waiting for, and proposes a new one when none is open.
 */
export async function runRequester(options: RequesterOptions, wake: Wakeup): Promise<void> {
  const { node, inbox, voice, now, rating, settled } = options;
  const watch = new DealWatch(node, (deal) => deal.role === 'requester' && taskOf(deal) !== undefined);
  /** Deals about a file that is not what it was: nobody can do them any more. */
  const stale = new Set<string>();
  let proposeAt = 0;
  for await (const _ of wake) {
    const deals = (await watch.look()).filter(({ conversation_id }) => !stale.has(conversation_id));
    for (const deal of deals) await attend(deal).catch((error: unknown) => voice.stumble(error, deal));
    await inbox.acknowledge((conversation) => watch.isOver(conversation));
    if (deals.length === 0 && now() >= proposeAt) await propose();
  }

  async function propose(): Promise<void> {
    const worker = await options.find();
    if (!worker) return;
    const message = JSON.stringify(await describeTask(options.file));
    const offer = { recipient: worker.agent_id, amount_usdc: options.offer, message, max_rounds: 1 };
    const { deal } = await node.propose(offer);
    const wish = `the line, word and most-frequent-word counts of ${nameOf(options.file)}`;
    voice.say('propose', `offers ${worker.name} ${shownUsdc(options.offer)} USDC for ${wish}`, deal, {
      agent_id: worker.agent_id,
      file: options.file,
    });
  }

  async function attend(deal: Deal): Promise<void> {
    if (deal.state === 'settled') return rate(deal, 90);
    if (!(await isCurrent(taskOf(deal)!))) return abandon(deal);
    if (deal.state === 'countered' && deal.allowed_actions.includes('accept')) return accept(deal);
    if (deal.state === 'accepted' && deal.allowed_actions.includes('lock')) return lock(deal);
    if (deal.state === 'delivered') return review(deal);
  }

  async function abandon(deal: Deal): Promise<void> {
    stale.add(deal.conversation_id);
    voice.say('abandon', 'lets this deal lapse: the file has changed since it was proposed', deal);
  }

  async function accept({ conversation_id, amount_usdc }: Deal): Promise<void> {
    const { deal } = await node.accept({ conversation_id });
    voice.say('accept', `accepts ${shownUsdc(amount_usdc)} USDC`, deal);
  }

  async function lock({ conversation_id, amount_usdc, bond_usdc }: Deal): Promise<void> {
    const { deal, escrow, vault, signature } = await node.lock(conversation_id);
    const bond = `a bond of ${shownUsdc(bond_usdc)}`;
    const text = `locks ${shownUsdc(amount_usdc)} USDC and ${bond} in escrow ${escrow} (vault ${vault}) in transaction ${signature}`;
    voice.say('lock', text, deal!, { bond_usdc, escrow, vault, transaction: signature });
  }

  async function review(deal: Deal): Promise<void> {
    const delivered = inbox.delivery(deal.conversation_id);
    if (delivered === undefined) return;
    if (delivered !== JSON.stringify(textStatistics(await textOf(taskOf(deal)!)))) return dispute(deal);
    const { conversation_id, provider, amount_usdc, bond_usdc } = deal;
    if (!deal.allowed_actions.includes('approve')) return;
    const released = await node.escrow('approve', { conversation_id });
    const { escrow, vault, signature } = released;
    const paid = `releases ${shownUsdc(amount_usdc)} USDC to ${provider}`;
    const text = `checks the counts and ${paid}, gets the bond of ${shownUsdc(bond_usdc)} back, in transaction ${signature}`;
    voice.say('approve', text, released.deal!, { escrow, vault, to: provider, transaction: signature });
    await rate(released.deal!, 90);
  }

  async function dispute({ conversation_id, provider }: Deal): Promise<void> {
    const payload = { reason: 'The counts are wrong.' };
    await node.send({ msg_type: 'DISPUTE', recipient: provider, conversation_id, payload });
    const deal = await node.deal(conversation_id);
    voice.say('dispute', 'finds the counts wrong, does not release the money and opens a dispute', deal);
    await rate(deal, -80);
  }

  async function rate(deal: Deal, score: number): Promise<void> {
    const { conversation_id } = deal;
    await rating(deal, async () => {
      await node.feedback({ conversation_id, score, outcome: score > 0 ? 'positive' : 'negative' });
      voice.say('rate', `rates the worker ${score > 0 ? '+' : '−'}${Math.abs(score)}`, deal, { score });
    });
    proposeAt = now() + options.pause;
    if (deal.state === 'settled') settled(deal);
  }
}

/** The task of a deal of this agent's; undefined for what people propose through its node by hand. */
function taskOf(deal: Deal): FileTask | undefined {
  const task = parseTask(deal.message ?? '');
  return task && 'file' in task ? task : undefined;
}
