import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeClient } from '../client/node-client.ts';
import { formatUsdc, parseUsdc } from '../money.ts';
import { CAPABILITY, parseTask, textOf } from './task.ts';
import { textStatistics } from './text-statistics.ts';
import type { Wakeup } from './wakeup.ts';

type Deal = SchemaTypes['deal-view'];

export interface WorkerOptions {
  readonly node: NodeClient;
  /** The least it works for, in USDC; a lower offer is countered once with this price. */
  readonly price: string;
  readonly say: (step: string, deal: Deal) => void;
}

/**
 * An agent that counts words for money. It keeps no state of its own: at every wake it looks at the deals of its node
 * and does what they are waiting for, so it goes on where it stopped after a crash.
 */
export async function runWorker({ node, price, say }: WorkerOptions, wake: Wakeup): Promise<void> {
  await node.send({ msg_type: 'ADVERTISE', payload: { capabilities: [CAPABILITY] } });
  for await (const _ of wake) {
    const { deals } = await node.deals({ limit: 50 });
    for (const deal of deals) if (deal.role === 'provider') await work(deal);
  }

  async function work(deal: Deal): Promise<void> {
    if (deal.state === 'proposed') return answer(deal);
    if (deal.state === 'accepted') return deliver(deal);
    if (deal.state === 'settled' && deal.allowed_actions.includes('feedback')) {
      await node.feedback({ conversation_id: deal.conversation_id, score: 75, outcome: 'positive' });
      say('rates the requester +75', deal);
    }
  }

  async function answer(deal: Deal): Promise<void> {
    const { conversation_id } = deal;
    if (!parseTask(deal.message ?? '')) {
      await node.reject({ conversation_id, reason: `I only do ${CAPABILITY}.` });
      return say('declines: not its trade', deal);
    }
    if (micro(deal.amount_usdc) >= micro(price)) {
      await node.accept({ conversation_id });
      return say(`accepts ${deal.amount_usdc} USDC`, deal);
    }
    await node.counter({ conversation_id, amount_usdc: formatUsdc(micro(price)), message: 'Counting takes care.' });
    say(`counters: ${price} USDC instead of ${deal.amount_usdc}`, deal);
  }

  async function deliver(deal: Deal): Promise<void> {
    const task = parseTask(deal.message ?? '');
    if (!task) return;
    const result = textStatistics(await textOf(task));
    await node.deliver({
      conversation_id: deal.conversation_id,
      content_type: 'application/json',
      content: JSON.stringify(result),
    });
    const { word, count } = result.most_frequent_word ?? { word: '', count: 0 };
    say(`delivers: ${result.lines} lines, ${result.words} words, most often "${word}" (${count} times)`, deal);
  }
}

function micro(amount: string): bigint {
  return parseUsdc(amount) ?? 0n;
}
