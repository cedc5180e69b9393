import { command } from './command.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { AGGREGATOR_FLAGS, AGGREGATOR_OPTIONS, aggregatorOf, NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

export const identity = command({
  summary: 'Says who the running node is.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['identity'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).identity();
      return { found, lines: table(Object.entries(found)) };
    }),
});

export const skills = command({
  summary: 'Lists the skills in the workspace of the running node.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['skills'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).skills();
      if (found.skills.length === 0) return { found, lines: 'The workspace has no skills.' };
      const rows = found.details.map(({ name, version, description, problem }) => [
        ...[name, version ?? '-'],
        problem ?? description?.split('\n')[0] ?? '',
      ]);
      return { found, lines: table([['SKILL', 'VERSION', 'DESCRIPTION'], ...rows]) };
    }),
});

export const agents = command({
  summary: 'Lists the agents an aggregator knows, best first.',
  about: 'It asks the aggregator that the running node uses; where no node runs, the one that is configured.',
  options: {
    capability: { takes: 'NAME', summary: 'only agents that advertise it' },
    ...AGGREGATOR_OPTIONS,
  },
  flags: AGGREGATOR_FLAGS,
  examples: ['agents', 'agents --capability translation --aggregator-url https://aggregator.example'],
  run: (call, _, terminal) =>
    show(
      call,
      terminal,
      async () => {
        const { capability } = call.options;
        const aggregator = await aggregatorOf(call, terminal);
        const found = await aggregator.agents(capability === undefined ? {} : { capability });
        if (found.length === 0) return { found, lines: 'The aggregator knows no such agents.' };
        const rows = found.map((agent) => [agent.agent_id, agent.name, agent.score, agent.capabilities.join(' ')]);
        return { found, lines: table([['AGENT', 'NAME', 'SCORE', 'CAPABILITIES'], ...rows]) };
      },
      'node or aggregator',
    ),
});
