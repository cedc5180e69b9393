import type { EscrowStepName } from '../../client/node-client.ts';
import { type Command, command } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { landed, MONEY_STEP, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

export const release = escrowCommand('release', 'approve', {
  summary: 'Releases what is locked in a deal to its provider, as the requester; the bond comes back.',
  said: 'Released',
});

export const refund = escrowCommand('refund', 'refund', {
  summary: 'Gives the requester back all that is locked in a deal, as its provider.',
  said: 'Gave back what was locked',
});

/** A step of an escrow that needs nothing but its deal. */
function escrowCommand(
  name: string,
  step: EscrowStepName,
  { summary, said }: { readonly summary: string; readonly said: string },
): Command {
  return command({
    summary,
    about: 'It cannot be taken back. Said again it does nothing more.',
    words: [CONVERSATION],
    options: NODE_OPTIONS,
    flags: NODE_FLAGS,
    examples: [`${name} CONVERSATION`],
    run(call, _, terminal) {
      const conversation_id = conversationOf(call.words[0]!);
      return takeStep(
        call,
        terminal,
        async (node) => landed(said, await node.escrow(step, { conversation_id })),
        MONEY_STEP,
      );
    },
  });
}
