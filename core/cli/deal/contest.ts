import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { landed, MONEY_STEP, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const contest = command({
  summary: 'Refuses the share that a dispute offers, as the provider.',
  about: 'The notary of the deal decides then; without one, what is in dispute burns. docs/program.md has the rules.',
  words: [CONVERSATION],
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['contest CONVERSATION'],
  run(call, _, terminal) {
    const conversation_id = conversationOf(call.words[0]!);
    const contested = 'Refused the share that was offered';
    return takeStep(
      call,
      terminal,
      async (node) => landed(contested, await node.contest({ conversation_id })),
      MONEY_STEP,
    );
  },
});
