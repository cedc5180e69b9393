import { command } from './command.ts';
import { agentOf, textOf } from './propose.ts';
import { show } from './show.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

export const send = command({
  summary: 'Sends a plain text to an agent, from the running node.',
  about: 'It needs no deal; the limits and gates of the recipient apply. "-" as the text reads standard input.',
  words: [
    { name: 'AGENT', summary: 'its id; mesh agents lists them' },
    { name: 'TEXT', summary: 'what is said, at most 16 KiB' },
  ],
  options: {
    conversation: { takes: 'ID', summary: 'that of a deal, or of the message it answers', default: 'a new one' },
    sealed: { summary: 'encrypt it for its recipient' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['send AGENT "Can you read Korean?"', 'send AGENT - --sealed'],
  run(call, _, terminal) {
    const { conversation, sealed } = call.options;
    const request = {
      recipient: agentOf('AGENT', call.words[0]!),
      text: textOf(call.words[1]!),
      ...(conversation !== undefined && { conversation_id: conversation }),
      ...(sealed && { sealed }),
    };
    return show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).message(request);
      const { status, envelope_id, conversation_id } = found;
      return { found, lines: `${status}: envelope ${envelope_id}, conversation ${conversation_id}` };
    });
  },
});
