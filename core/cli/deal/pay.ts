import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { MONEY_STEP, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const pay = command({
  summary: 'Pays a deal without escrow, as its requester.',
  about:
    'It answers when the ledger is sure of the payment, and cannot be taken back. Said again it pays nothing more.',
  words: [CONVERSATION],
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['pay CONVERSATION'],
  run(call, _, terminal) {
    const conversation = conversationOf(call.words[0]!);
    return takeStep(
      call,
      terminal,
      async (node) => {
        const deal = await node.pay(conversation);
        const { amount_usdc, payment, state } = deal;
        const where = payment ? ` in transaction ${payment.signature}` : '';
        return { found: deal, said: `Paid ${amount_usdc} USDC${where}. The deal is ${state}.`, deal };
      },
      MONEY_STEP,
    );
  },
});
