import { shownSettings } from '../host/boot/shown-settings.ts';
import { describeProblem } from '../platform/problem.ts';
import { type CommandGroup, command } from './command.ts';
import { checkConfigured } from './configured.ts';
import { table } from './table.ts';

const show = command({
  summary: 'Shows what is in force, and where each value comes from; secrets are hidden.',
  about: `A value comes from a flag, a variable, the file or, where none of them says anything, from what is usual. Settings that nobody
has set and that have no usual value are listed too.`,
  options: {},
  flags: 'all',
  examples: ['config show', 'config show --config node.json --log-level debug'],
  async run({ options, flags }, composition, terminal) {
    const { configuration: found, contracts, plan } = await checkConfigured(flags, composition, terminal);
    const settings = shownSettings(found, plan, contracts);
    const { file, problems } = found;
    if (options.json) terminal.out(JSON.stringify({ ok: problems.length === 0, file, settings, problems }));
    else {
      const rows = settings.map(({ key, value, source }) => [key, textOf(value), source]);
      terminal.out(table([['SETTING', 'VALUE', 'FROM'], ...rows]));
    }
    for (const problem of problems) terminal.error(describeProblem(problem));
    return problems.length === 0 ? 0 : 1;
  },
});

export const config: CommandGroup = {
  summary: 'Shows the configuration that is in force, and where each value comes from.',
  commands: { show },
};

function textOf(value: unknown): string {
  if (value === null) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
