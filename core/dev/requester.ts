import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeClient } from '../client/node-client.ts';
import { describeTask, parseTask, textOf } from './task.ts';
import { textStatistics } from './text-statistics.ts';
import type { Wakeup } from './wakeup.ts';

type Deal = SchemaTypes['deal-view'];

export interface RequesterOptions {
  readonly node: NodeClient;
  /** Finds somebody who does the work; undefined while nobody is known. */
  readonly find: () => Promise<{ readonly agent_id: string; readonly score: number } | undefined>;
  /** The file to be counted, as a file URL. */
  readonly file: string;
  /** Its first offer, in USDC. */
  readonly offer: string;
  /** Milliseconds between the end of a deal and the next proposal. */
  readonly pause: number;
  readonly now: () => number;
  readonly say: (step: string, deal: Deal) => void;
  /** Called when a deal has been paid for and rated. */
  readonly settled: (deal: Deal) => void | Promise<void>;
}

const WAITING = new Set(['proposed', 'countered', 'accepted', 'delivered']);

/**
 * An agent that has a file counted again and again. Like the worker it keeps no state: it does what the deals of its
 * node are waiting for, and proposes a new one when none is open.
 */
export async function runRequester(options: RequesterOptions, wake: Wakeup): Promise<void> {
  const { node, say, settled, now } = options;
  let proposeAt = 0;
  for await (const _ of wake) {
    const deals = (await node.deals({ limit: 50 })).deals.filter(isOwn);
    for (const deal of deals) await work(deal);
    if (!deals.some((deal) => WAITING.has(deal.state)) && now() >= proposeAt) await propose();
  }

  async function propose(): Promise<void> {
    const worker = await options.find();
    if (!worker) return;
    const message = JSON.stringify(await describeTask(options.file));
    const { deal } = await node.propose({
      recipient: worker.agent_id,
      amount_usdc: options.offer,
      message,
      max_rounds: 1,
    });
    say(
      `proposes ${options.offer} USDC for the counts of the file to ${worker.agent_id} (score ${worker.score})`,
      deal,
    );
  }

  async function work(deal: Deal): Promise<void> {
    if (deal.state === 'countered' && deal.allowed_actions.includes('accept')) {
      await node.accept({ conversation_id: deal.conversation_id });
      return say(`accepts ${deal.amount_usdc} USDC`, deal);
    }
    if (deal.state === 'delivered') return review(deal);
    if (deal.state === 'settled' && deal.allowed_actions.includes('feedback')) return rate(deal);
  }

  async function review(deal: Deal): Promise<void> {
    const task = parseTask(deal.message ?? '');
    const delivered = await delivery(deal.conversation_id);
    if (!task || delivered === undefined) return;
    if (delivered !== JSON.stringify(textStatistics(await textOf(task)))) {
      return say('finds the counts wrong and does not pay', deal);
    }
    const paid = await node.pay(deal.conversation_id);
    say(`checks the counts and pays ${deal.amount_usdc} USDC on the ledger: ${paid.payment?.signature ?? ''}`, paid);
    await rate(paid);
  }

  async function rate(deal: Deal): Promise<void> {
    await node.feedback({ conversation_id: deal.conversation_id, score: 90, outcome: 'positive' });
    say('rates the worker +90', deal);
    proposeAt = now() + options.pause;
    await settled(deal);
  }

  /** What was delivered, from the durable inbox. */
  async function delivery(conversationId: string): Promise<string | undefined> {
    const giveUp = AbortSignal.timeout(10_000);
    for await (const frame of node.inbox({ since: 0, conversation_id: conversationId, signal: giveUp })) {
      if (frame.msg_type === 'DELIVER') return Buffer.from(frame.payload_b64, 'base64').toString('utf8');
    }
    return undefined;
  }
}

/** What people propose through this node by hand is theirs to go on with. */
function isOwn(deal: Deal): boolean {
  const task = deal.role === 'requester' ? parseTask(deal.message ?? '') : undefined;
  return task !== undefined && 'file' in task;
}
