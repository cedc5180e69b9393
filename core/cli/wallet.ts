import { type CommandGroup, command, UsageError, type Word } from './command.ts';
import { usdcOf } from './deal/amounts.ts';
import { MONEY_STEP } from './deal/step.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

const ASKED = { options: NODE_OPTIONS, flags: NODE_FLAGS } as const;
const USDC: Word = { name: 'USDC', summary: 'how many, such as 10; all of it without', optional: true };
const MOST_LISTED = 200;

const held = command({
  summary: 'Shows what the wallet of the running node holds, and how much of it may leave today.',
  ...ASKED,
  examples: ['wallet'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const node = nodeOf(call, terminal);
      const [balances, caps] = await Promise.all([node.balances(), node.api.money.caps()]);
      const rows = balances.tokens.map(({ symbol, mint, amount }) => [symbol ?? mint, String(amount)]);
      const { used_usdc, limit_usdc } = caps.day;
      const day = ['today', `${used_usdc} USDC of ${limit_usdc} have left it`];
      return { found: { ...balances, caps }, lines: table([['address', balances.address], ...rows, day]) };
    }),
});

const history = command({
  summary: 'Lists what happened to the money of the running node, the newest first.',
  options: { limit: { takes: 'NUMBER', summary: 'entries at most, up to 200', default: '20' }, ...NODE_OPTIONS },
  flags: NODE_FLAGS,
  examples: ['wallet history', 'wallet history --limit 100'],
  run(call, _, terminal) {
    const limit = Number(call.options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED)
      throw new UsageError(`--limit takes a whole number from 1 to ${MOST_LISTED}`);
    return show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).api.portfolio.history({ limit });
      if (found.events.length === 0) return { found, lines: 'Nothing has moved yet.' };
      const rows = found.events.map(({ timestamp, type, action, direction, amount_usdc, counterparty }) => {
        return [timestamp, `${type} ${action}`, direction, amount_usdc ?? '', counterparty ?? ''];
      });
      return { found, lines: table([['TIME', 'EVENT', 'WAY', 'USDC', 'OTHER SIDE'], ...rows]) };
    });
  },
});

const sweep = command({
  summary: 'Sends USDC of the running node to a wallet of its owner.',
  words: [{ name: 'WALLET', summary: 'the address that gets it' }, USDC],
  ...ASKED,
  examples: ['wallet sweep WALLET', 'wallet sweep WALLET 10'],
  run(call, _, terminal) {
    const [destination, text] = call.words;
    const amount = text === undefined ? {} : { amount_usdc: usdcOf('USDC', text) };
    return show(call, terminal, async () => {
      const node = nodeOf(call, terminal, MONEY_STEP);
      const found = await node.api.wallet.sweep({ destination: destination!, ...amount });
      return { found, lines: `${found.amount_usdc} USDC went to ${found.destination}: ${found.signature}` };
    });
  },
});

const pay = command({
  summary: 'Calls a URL and pays what it asks for by x402, at most 10 USDC.',
  words: [{ name: 'URL', summary: 'what is sold there' }],
  options: { max: { takes: 'USDC', summary: 'no more than this' }, ...NODE_OPTIONS },
  flags: NODE_FLAGS,
  examples: ['wallet pay https://seller.example/weather --max 0.05'],
  run(call, _, terminal) {
    const { max } = call.options;
    const most = max === undefined ? {} : { max_usdc: usdcOf('--max', max) };
    return show(call, terminal, async () => {
      const node = nodeOf(call, terminal, MONEY_STEP);
      const found = await node.api.wallet.pay({ url: call.words[0]!, ...most });
      const { status, amount_usdc, response } = found;
      const paid = status === 'not_needed' ? 'nothing was to be paid' : `${status}: ${amount_usdc} USDC`;
      return { found, lines: response === undefined ? paid : `${paid}\n${response.body ?? ''}` };
    });
  },
});

export const wallet: CommandGroup = {
  summary: 'Shows the wallet of the running node and its history, sends USDC home, and pays by x402.',
  otherwise: held,
  commands: { history, sweep, pay },
};
