import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { landed, MONEY_STEP, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const lock = command({
  summary: 'Locks the amount and the bond of an accepted deal in escrow, as its requester.',
  about: 'The caps of the node apply (mesh config show). Said again it locks nothing more.',
  words: [CONVERSATION],
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['lock CONVERSATION'],
  run(call, _, terminal) {
    const conversation = conversationOf(call.words[0]!);
    return takeStep(
      call,
      terminal,
      async (node) => {
        const found = await node.lock(conversation);
        const { amount_usdc, bond_usdc } = found.deal ?? (await node.deal(conversation));
        return landed(`Locked ${amount_usdc} USDC and a bond of ${bond_usdc}`, found);
      },
      MONEY_STEP,
    );
  },
});
