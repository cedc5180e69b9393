import { parseUsdc } from '../money.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { NODE_USAGE, show } from './queries.ts';
import { table } from './table.ts';
import { nodeOf } from './target.ts';

const STEPS = ['unlock', 'resume', 'withdraw'] as const;

export const stake: Command = {
  summary: 'Shows the stake of the running node, adds to it, or takes it back.',
  usage: `[add USDC | unlock | resume | withdraw] ${NODE_USAGE}`,
  run: (args, _, terminal) =>
    show(args, terminal, async (given) => {
      const [what = '', ...others] = given;
      if (what === '' || what.startsWith('--')) {
        const found = await nodeOf(given, terminal).stake();
        const rows = Object.entries(found).map(([name, value]) => [name, textOf(value)]);
        return { found, lines: table(rows) };
      }
      const found = await take(what, others, terminal);
      return { found, lines: `confirmed: ${found.signature}` };
    }),
};

async function take(what: string, others: readonly string[], terminal: Terminal): Promise<{ signature: string }> {
  if (what === 'add') {
    const [amount = '', ...rest] = others;
    if (parseUsdc(amount) === undefined) throw new UsageError('say how many USDC, such as: mesh stake add 10');
    return nodeOf(rest, terminal).addStake({ amount_usdc: amount });
  }
  const step = STEPS.find((name) => name === what);
  if (!step) throw new UsageError(`there is no step ${what}`);
  return nodeOf(others, terminal).stakeStep(step);
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
