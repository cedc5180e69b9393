import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { usdcOf } from './amounts.ts';
import { sent, takeStep } from './step.ts';
import { TERMS, termsOf } from './terms.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const counter = command({
  summary: 'Answers an offer with another amount or other terms.',
  about: 'Terms that are left out stay as in the offer before; a bond of half the amount follows the amount.',
  words: [CONVERSATION],
  options: {
    amount: { takes: 'USDC', summary: 'what shall be paid', default: 'as offered' },
    message: { takes: 'TEXT', summary: 'what the other side is told', default: 'nothing' },
    ...TERMS,
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['counter CONVERSATION --amount 2', 'counter CONVERSATION --amount 2 --deadline 3d'],
  run(call, _, terminal) {
    const { amount, message } = call.options;
    const conversation_id = conversationOf(call.words[0]!);
    const terms = { ...termsOf(call.options), ...(message !== undefined && { message }) };
    const wanted = amount === undefined ? undefined : usdcOf('--amount', amount);
    return takeStep(call, terminal, async (node) => {
      const amount_usdc = wanted ?? (await node.deal(conversation_id)).amount_usdc;
      const found = await node.counter({ conversation_id, amount_usdc, ...terms });
      return sent(`Asked for ${found.deal.amount_usdc} USDC`, found);
    });
  },
});
