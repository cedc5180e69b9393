import type { NodeClient } from '../../client/node-client.ts';
import { formatUsdc, parseUsdc, shownUsdc } from '../../platform/usdc.ts';
import { type Deal, DealWatch } from './deal-watch.ts';
import type { AgentInbox } from './inbox.ts';
import { CAPABILITY, parseTask, textOf } from './task.ts';
import { describeStatistics, textStatistics } from './text-statistics.ts';
import type { Voice } from './voice.ts';
import type { Wakeup } from './wakeup.ts';

export interface WorkerOptions {
  readonly node: NodeClient;
  readonly inbox: AgentInbox;
  /** The least it works for, in USDC; a lower offer is countered once with this price. */
  readonly price: string;
  readonly voice: Voice;
}

/**
 * An agent that counts words for money. It keeps no state of its own: at every wake it looks at the deals of its node
 * and does what they are waiting for, so it goes on where it stopped after a crash.
 */
export async function runWorker({ node, inbox, price, voice }: WorkerOptions, wake: Wakeup): Promise<void> {
  const watch = new DealWatch(node, (deal) => deal.role === 'provider');
  await node.send({ msg_type: 'ADVERTISE', payload: { capabilities: [CAPABILITY] } });
  for await (const _ of wake) {
    for (const deal of await watch.look()) await attend(deal).catch((error: unknown) => voice.stumble(error, deal));
    await inbox.acknowledge((conversation) => watch.isOver(conversation));
  }

  async function attend(deal: Deal): Promise<void> {
    if (deal.state === 'proposed') return answer(deal);
    if (deal.state === 'accepted' && isSecured(deal)) return deliver(deal);
    if (deal.state === 'settled') {
      await node.feedback({ conversation_id: deal.conversation_id, score: 75, outcome: 'positive' });
      voice.say('rate', 'rates the requester +75', deal, { score: 75 });
    }
  }

  async function answer({ conversation_id, message, amount_usdc }: Deal): Promise<void> {
    if (!parseTask(message ?? '')) {
      const { deal } = await node.reject({ conversation_id, reason: `I only do ${CAPABILITY}.` });
      return voice.say('reject', 'declines: it only counts words', deal);
    }
    if (micro(amount_usdc) >= micro(price)) {
      const { deal } = await node.accept({ conversation_id });
      return voice.say('accept', `accepts ${shownUsdc(amount_usdc)} USDC`, deal);
    }
    const asked = formatUsdc(micro(price));
    const { deal } = await node.counter({ conversation_id, amount_usdc: asked, message: 'Counting takes care.' });
    voice.say('counter', `asks for ${shownUsdc(asked)} USDC instead`, deal);
  }

  async function deliver({ conversation_id, message }: Deal): Promise<void> {
    const task = parseTask(message ?? '');
    if (!task) return;
    const result = textStatistics(await textOf(task));
    const content = JSON.stringify(result);
    const { deal } = await node.deliver({ conversation_id, content_type: 'application/json', content });
    voice.say('deliver', `delivers: ${describeStatistics(result)}`, deal, { result });
  }
}

/** It works once the money is locked where a lock was agreed. */
function isSecured({ escrow }: Deal): boolean {
  return !escrow.agreed || escrow.locked_at !== undefined;
}

function micro(amount: string): bigint {
  return parseUsdc(amount) ?? 0n;
}
