import { BootError, bootNode, describeReport } from '../boot/boot-node.ts';
import { describeProblem } from '../problem.ts';
import type { Command } from './command.ts';
import { sourceOf } from './configured.ts';

export const start: Command = {
  summary: 'Runs a node or an aggregator until it is asked to stop.',
  usage: '[--config FILE] [flags]',
  async run(args, composition, terminal) {
    const source = sourceOf(args, terminal);
    try {
      const node = await bootNode({ config: source, ...composition });
      terminal.error(describeReport(node.report));
      await terminal.untilStopped(() => void node.reload());
      const problems = await node.stop();
      for (const problem of problems) terminal.error(describeProblem(problem));
      return problems.length === 0 ? 0 : 1;
    } catch (error) {
      if (!(error instanceof BootError)) throw error;
      terminal.error(error.message);
      return 1;
    }
  },
};
