import type { NodeClient } from '../client/node-client.ts';
import { command } from './command.ts';
import { agentOf } from './deal/terms.ts';
import { show } from './show.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';
import { textOf } from './text.ts';

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
      const node = nodeOf(call, terminal);
      const found = await node.message(request);
      const { status, envelope_id, conversation_id } = found;
      const line = `${status}: envelope ${envelope_id}, conversation ${conversation_id}`;
      return { found, lines: status === 'queued' ? `${line}\n${await whyQueued(node, request.recipient)}` : line };
    });
  },
});

/** Nobody else knows whether an id is right: a key of which nothing was heard may come up later. */
async function whyQueued(node: NodeClient, recipient: string): Promise<string> {
  const isKnown = (await node.peers()).some(({ agent_id }) => agent_id === recipient);
  const tries = 'This node tries again by itself for up to four epochs.';
  if (isKnown) return `Its node has not taken it yet. ${tries}`;
  return `This node has not heard of ${recipient}: see with mesh agents whether the id is right. ${tries}`;
}
