import { resolve } from 'node:path';
import { calledAs } from '../called-as.ts';
import { command } from '../command.ts';
import { show } from '../show.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from '../target.ts';
import { textOf } from '../text.ts';
import { usdcOf } from './amounts.ts';
import { inFull } from './deals.ts';
import { agentOf, TERMS, termsOf } from './terms.ts';

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
    'no-escrow': { summary: 'pay after the delivery instead of locking the amount' },
    ...TERMS,
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['propose AGENT "Count the words of this line." --amount 1.5 --deadline 2h'],
  run({ words, options, flags }, _, terminal) {
    const request = {
      recipient: agentOf('AGENT', words[0]!),
      message: textOf(words[1]!),
      amount_usdc: usdcOf('--amount', options.amount ?? '0'),
      ...(options['no-escrow'] && { escrow: false }),
      ...termsOf(options),
    };
    return show({ options }, terminal, async () => {
      const found = await nodeOf({ words, options, flags }, terminal).propose(request);
      return { found, lines: `${found.status}\n${inFull(found.deal, calledAs(terminal.env, resolve('.')))}` };
    });
  },
});
