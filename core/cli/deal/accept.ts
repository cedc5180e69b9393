import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { usdcOf } from './amounts.ts';
import { sent, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const accept = command({
  summary: 'Accepts the last offer of the other side in a deal.',
  about:
    'mesh deals CONVERSATION shows the offer and what can be lost by it. With escrow the requester locks the money next.',
  words: [CONVERSATION],
  options: {
    amount: { takes: 'USDC', summary: 'accept only when the offer is this amount', default: 'whatever it is' },
    sealed: { summary: 'encrypt the message for its recipient' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['accept CONVERSATION', 'accept CONVERSATION --amount 1.5'],
  run(call, _, terminal) {
    const { amount, sealed } = call.options;
    const request = {
      conversation_id: conversationOf(call.words[0]!),
      ...(amount !== undefined && { amount_usdc: usdcOf('--amount', amount) }),
      ...(sealed && { sealed }),
    };
    return takeStep(call, terminal, async (node) => {
      const found = await node.accept(request);
      return sent(`Accepted ${found.deal.amount_usdc} USDC with ${found.deal.counterparty}`, found);
    });
  },
});
