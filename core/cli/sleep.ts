import type { PushSleepAnswer } from '../client/generated/node.ts';
import { command } from './command.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

export const sleep = command({
  summary: 'Has aggregators hold the messages of the running node, and wake its device.',
  about: 'A node with a push token does so by itself when it stops.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['sleep'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).sleep();
      return { found, lines: inWords('The agent sleeps.', found) };
    }),
});

export const wake = command({
  summary: 'Takes the messages that waited for the running node into its inbox.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['wake'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).wake();
      return {
        found,
        lines: inWords(`The agent is awake; ${found.taken} messages were taken since its start.`, found),
      };
    }),
});

function inWords(said: string, { aggregators }: PushSleepAnswer): string {
  const rows = aggregators.map(({ url, sleeping, pending, problem }) => [
    ...[url, sleeping === null ? 'not told' : sleeping ? 'asleep' : 'awake', `${pending}`],
    problem ?? '',
  ]);
  return [said, '', table([['AGGREGATOR', 'KNOWS', 'WAITING', 'PROBLEM'], ...rows])].join('\n');
}
