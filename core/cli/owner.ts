import type { SchemaTypes } from '../../schemas/types.ts';
import type { Command } from './command.ts';
import { NODE_USAGE, show } from './queries.ts';
import { nodeOf } from './target.ts';

type Owner = SchemaTypes['owner-view'];

export const owner: Command = {
  summary: 'Says who owns the agent of the running node, or proposes the wallet that shall own it.',
  usage: `[WALLET] ${NODE_USAGE}`,
  run: (args, _, terminal) =>
    show(args, terminal, async (given) => {
      const [wallet = '', ...rest] = given;
      const proposes = wallet !== '' && !wallet.startsWith('--');
      const found = proposes
        ? await nodeOf(rest, terminal).proposeOwner({ owner_wallet: wallet })
        : await nodeOf(given, terminal).owner();
      return { found, lines: inWords(found) };
    }),
};

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
