import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { sent, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const reject = command({
  summary: 'Refuses the offer of the other side in a deal, or withdraws your own.',
  words: [CONVERSATION],
  options: {
    reason: { takes: 'TEXT', summary: 'what the other side is told', default: 'nothing' },
    sealed: { summary: 'encrypt the message for its recipient' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['reject CONVERSATION --reason "I cannot read Korean."'],
  run(call, _, terminal) {
    const { reason, sealed } = call.options;
    const request = {
      conversation_id: conversationOf(call.words[0]!),
      ...(reason !== undefined && { reason }),
      ...(sealed && { sealed }),
    };
    return takeStep(call, terminal, async (node) => {
      const found = await node.reject(request);
      return sent(found.deal.reason === 'withdrawn' ? 'Withdrew the offer' : 'Refused the offer', found);
    });
  },
});
