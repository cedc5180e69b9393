import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { wholeOf } from './amounts.ts';
import { takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const feedback = command({
  summary: 'Rates the other side of a deal, for everybody to see.',
  about: 'It counts once the deal has ended.',
  words: [CONVERSATION, { name: 'SCORE', summary: 'from -100 to 100' }],
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['feedback CONVERSATION 80', 'feedback CONVERSATION -40'],
  run(call, _, terminal) {
    const [conversation = '', rating = ''] = call.words;
    const conversation_id = conversationOf(conversation);
    const score = wholeOf('SCORE', rating, -100, 100);
    return takeStep(call, terminal, async (node) => {
      const found = await node.feedback({ conversation_id, score });
      const deal = await node.deal(conversation_id);
      const who = deal.counterparty;
      return { found, said: `Rated ${who} ${score > 0 ? '+' : ''}${score}. The message is ${found.status}.`, deal };
    });
  },
});
