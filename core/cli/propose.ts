import { readFileSync } from 'node:fs';
import { parseUsdc } from '../platform/usdc.ts';
import { formatAgentId, parseAgentId } from '../protocol/identity/ids.ts';
import { command, UsageError } from './command.ts';
import { inFull } from './deals.ts';
import { show } from './show.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const TIME = 'seconds, or such as 30m, 12h, 3d';

export const propose = command({
  summary: 'Offers an agent a deal, from the running node.',
  about:
    'The words are what is asked for; "-" reads them from standard input. Nothing is paid before the other side has accepted.',
  words: [
    { name: 'AGENT', summary: 'its id; mesh agents lists them' },
    { name: 'TEXT', summary: 'what is asked for' },
  ],
  options: {
    amount: { takes: 'USDC', summary: 'what is paid for it', default: '0' },
    deadline: { takes: 'TIME', summary: `until the delivery, from its acceptance: ${TIME}`, default: '1d' },
    review: { takes: 'TIME', summary: `to look at the delivery: ${TIME}`, default: '1d' },
    'max-rounds': { takes: 'N', summary: 'how often the two may counter', default: '2' },
    bond: { takes: 'USDC', summary: 'what is locked besides the amount', default: 'half of the amount' },
    'no-escrow': { summary: 'pay after the delivery instead of locking the amount' },
    notary: { takes: 'AGENT', summary: 'who decides when a dispute is contested' },
    'dispute-bps': { takes: 'N', summary: 'the lowest share that a dispute may offer, in basis points', default: '0' },
    sealed: { summary: 'encrypt the offer for its recipient' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['propose AGENT "Count the words of this line." --amount 1.5 --deadline 2h'],
  run({ words, options, flags }, _, terminal) {
    const { amount, deadline, review, bond, notary, sealed } = options;
    const rounds = options['max-rounds'];
    const bps = options['dispute-bps'];
    const request = {
      recipient: agentOf('AGENT', words[0]!),
      message: textOf(words[1]!),
      amount_usdc: usdcOf('--amount', amount ?? '0'),
      ...(deadline !== undefined && { deadline_secs: secondsOf('--deadline', deadline) }),
      ...(review !== undefined && { review_secs: secondsOf('--review', review) }),
      ...(rounds !== undefined && { max_rounds: wholeOf('--max-rounds', rounds) }),
      ...(bond !== undefined && { bond_usdc: usdcOf('--bond', bond) }),
      ...(options['no-escrow'] && { escrow: false }),
      ...(notary !== undefined && { notary: agentOf('--notary', notary) }),
      ...(bps !== undefined && { dispute_bps: wholeOf('--dispute-bps', bps) }),
      ...(sealed && { sealed }),
    };
    return show({ options }, terminal, async () => {
      const found = await nodeOf({ words, options, flags }, terminal).propose(request);
      return { found, lines: `${found.status}\n${inFull(found.deal)}` };
    });
  },
});

/** An agent's id, whatever its spelling. */
export function agentOf(where: string, text: string): string {
  const key = parseAgentId(text);
  if (!key) throw new UsageError(`${where} takes an agent's id, not ${text}; mesh agents lists them`);
  return formatAgentId(key);
}

/** Words of the command line, or with `-` what standard input has. */
export function textOf(word: string): string {
  const text = word === '-' ? readFileSync(0, 'utf8') : word;
  if (text.trim() === '') throw new UsageError('TEXT is empty');
  return text;
}

function usdcOf(flag: string, text: string): string {
  if (parseUsdc(text) === undefined) throw new UsageError(`${flag} takes USDC such as 1.5, not ${text}`);
  return text;
}

function secondsOf(flag: string, text: string): number {
  const [, number, unit = 's'] = /^(\d{1,8})([smhd])?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${flag} takes ${TIME}, not ${text}`);
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}

function wholeOf(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes a whole number, not ${text}`);
}
