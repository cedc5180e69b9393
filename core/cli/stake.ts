import { type CommandGroup, command } from './command.ts';
import { usdcOf } from './deal/amounts.ts';
import { MONEY_STEP } from './deal/step.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

const ASKED = { options: NODE_OPTIONS, flags: NODE_FLAGS } as const;

const shown = command({
  summary: 'Shows the stake of the running node, and what is owed for it.',
  ...ASKED,
  examples: ['stake'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).stake();
      return { found, lines: table(Object.entries(found).map(([name, value]) => [name, textOf(value)])) };
    }),
});

const add = command({
  summary: 'Adds USDC to the stake.',
  words: [{ name: 'USDC', summary: 'how many, such as 10' }],
  ...ASKED,
  examples: ['stake add 10'],
  run(call, _, terminal) {
    const amount_usdc = usdcOf('USDC', call.words[0]!);
    return show(call, terminal, async () =>
      confirmed(await nodeOf(call, terminal, MONEY_STEP).addStake({ amount_usdc })),
    );
  },
});

export const stake: CommandGroup = {
  summary: 'Shows the stake of the running node, adds to it, or takes it back.',
  otherwise: shown,
  commands: {
    add,
    unlock: step('unlock', 'Begins to take the stake back; the duties end with it.'),
    resume: step('resume', 'Takes back an unlock that has begun.'),
    withdraw: step('withdraw', 'Takes the stake out once its time to unlock is over.'),
  },
};

function step(name: 'unlock' | 'resume' | 'withdraw', summary: string) {
  return command({
    summary,
    ...ASKED,
    examples: [`stake ${name}`],
    run: (call, _, terminal) =>
      show(call, terminal, async () => confirmed(await nodeOf(call, terminal, MONEY_STEP).stakeStep(name))),
  });
}

function confirmed(found: { readonly signature: string }) {
  return { found, lines: `confirmed: ${found.signature}` };
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
