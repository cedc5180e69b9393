import type { SchemaTypes } from '../../schemas/types.ts';
import { command } from './command.ts';
import { show } from './show.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

type Owner = SchemaTypes['owner-view'];

export const owner = command({
  summary: 'Says who owns the agent of the running node, or proposes the wallet that shall own it.',
  words: [{ name: 'WALLET', summary: 'the wallet to propose', optional: true }],
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['owner', 'owner WALLET'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const [owner_wallet] = call.words;
      const node = nodeOf(call, terminal);
      const found = await (owner_wallet === undefined ? node.owner() : node.proposeOwner({ owner_wallet }));
      return { found, lines: inWords(found) };
    }),
});

function inWords(found: Owner): string {
  const { status, agent_id, claim_at = [] } = found;
  if (status === 'none') return `Nobody is known to own ${agent_id}. Propose a wallet with: mesh owner WALLET`;
  if (status === 'claimed')
    return `${agent_id} is owned by ${found.owner} since ${found.claimed_at}. This can never be changed.`;
  return [
    `${found.proposed_owner} is proposed as the owner of ${agent_id}, until ${found.expires_at}.`,
    '',
    '1. That wallet signs this text as a message, to the letter, without a line break after the last line:',
    '',
    found.text,
    '',
    '2. Its signature, in base64, is handed in once, by anybody:',
    '',
    ...claim_at.map((url) => `curl -X POST ${url} -H 'content-type: application/json' -d '{"signature":"BASE64"}'`),
    '',
    'Then the link is written to the ledger. It can never be changed.',
  ].join('\n');
}
