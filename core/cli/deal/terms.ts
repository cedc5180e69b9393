import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import { type Given, type Options, UsageError } from '../command.ts';
import { usdcOf, wholeOf } from './amounts.ts';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const TIME = 'seconds, or such as 30m, 12h, 3d';

/** Terms of an offer or a counter offer. One left out gets the node's default in an offer, and stays in a counter. */
export const TERMS = {
  deadline: {
    takes: 'TIME',
    summary: `until the delivery, from its acceptance: ${TIME}`,
    default: '1d in a first offer',
  },
  review: { takes: 'TIME', summary: `to look at the delivery: ${TIME}`, default: '1d in a first offer' },
  'max-rounds': { takes: 'N', summary: 'how often the two may counter', default: '2 in a first offer' },
  bond: { takes: 'USDC', summary: 'what is locked besides the amount', default: 'half of the amount' },
  notary: { takes: 'AGENT', summary: 'who decides when a dispute is contested' },
  'dispute-bps': { takes: 'N', summary: 'the lowest share that a dispute may offer, in basis points', default: '0' },
  sealed: { summary: 'encrypt the offer for its recipient' },
} as const satisfies Options;

export function termsOf(options: Given<typeof TERMS>) {
  const { deadline, review, bond, notary, sealed } = options;
  const rounds = options['max-rounds'];
  const bps = options['dispute-bps'];
  return {
    ...(deadline !== undefined && { deadline_secs: secondsOf('--deadline', deadline) }),
    ...(review !== undefined && { review_secs: secondsOf('--review', review) }),
    ...(rounds !== undefined && { max_rounds: wholeOf('--max-rounds', rounds) }),
    ...(bond !== undefined && { bond_usdc: usdcOf('--bond', bond) }),
    ...(notary !== undefined && { notary: agentOf('--notary', notary) }),
    ...(bps !== undefined && { dispute_bps: wholeOf('--dispute-bps', bps) }),
    ...(sealed && { sealed }),
  };
}

/** An agent's id, whatever its spelling. */
export function agentOf(where: string, text: string): string {
  const key = parseAgentId(text);
  if (!key) throw new UsageError(`${where} takes an agent's id, not ${text}; mesh agents lists them`);
  return formatAgentId(key);
}

function secondsOf(flag: string, text: string): number {
  const [, number, unit = 's'] = /^(\d{1,8})([smhd])?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${flag} takes ${TIME}, not ${text}`);
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}
