import { bootNode, describeReport } from '../host/boot/boot-node.ts';
import { describeProblem, type Problem } from '../platform/problem.ts';
import { startInBackground } from './background.ts';
import { command, type ExitCode, Failure, UsageError } from './command.ts';
import { sourceOf } from './configured.ts';
import { startWatched } from './watch/start-watched.ts';

export const start = command({
  summary: 'Runs a node or an aggregator until it is asked to stop.',
  about: `Settings come from flags, then from variables, then from the configuration. The log goes to standard output, one JSON
document a line, or to log.file; what came up is told on standard error. With --json every line on standard output is one.`,
  options: {
    watch: {
      summary:
        'start again when plugins.json or a plugin from a path changes; what is broken is told and not taken over',
    },
    background: { summary: 'start it in the background, wait until it serves, and leave it to mesh stop' },
  },
  flags: 'listed',
  examples: ['start', 'start --watch', 'start --background', 'start --config node.json --api-addr 127.0.0.1:9190'],
  async run({ options, flags: given }, composition, terminal) {
    const flags = options.json ? { ...given, argv: [...given.argv, '--log-format=json'] } : given;
    if (options.background) {
      if (options.watch) throw new UsageError('--background and --watch exclude each other');
      return startInBackground(given, options.json, composition, terminal);
    }
    if (options.watch) return ended(await startWatched(flags, composition, terminal));
    const node = await bootNode({ config: sourceOf(flags, terminal), ...composition });
    terminal.error(describeReport(node.report));
    await terminal.untilStopped(() => void node.reload());
    return ended(await node.stop());
  },
});

function ended(problems: readonly Problem[]): ExitCode {
  if (problems.length > 0) throw new Failure(problems.map(describeProblem).join('\n'), { problems });
  return 0;
}
