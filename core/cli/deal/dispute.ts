import { command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { wholeOf } from './amounts.ts';
import { landed, MONEY_STEP, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

const WHOLE_BPS = 10_000;

export const dispute = command({
  summary: 'Objects to a delivery, as the requester, and offers its provider a share of the amount.',
  about: `The provider lets the offer stand or contests it: then the notary decides, or what is in dispute burns, and some of your
bond with it. Again with a larger share it raises the offer. docs/program.md has the rules.`,
  words: [CONVERSATION],
  options: {
    'offer-bps': {
      takes: 'N',
      summary: "the provider's share of the amount, in basis points: 2500 is a quarter",
      default: 'the lowest that the terms allow',
    },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['dispute CONVERSATION', 'dispute CONVERSATION --offer-bps 2500'],
  run(call, _, terminal) {
    const bps = call.options['offer-bps'];
    const request = {
      conversation_id: conversationOf(call.words[0]!),
      ...(bps !== undefined && { offer_bps: wholeOf('--offer-bps', bps, 0, WHOLE_BPS) }),
    };
    return takeStep(call, terminal, async (node) => landed('Objected', await node.dispute(request)), MONEY_STEP);
  },
});
