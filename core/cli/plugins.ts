import { lineOf } from '../http/served.ts';
import { describeProblem } from '../platform/problem.ts';
import { command } from './command.ts';
import { checkConfigured } from './configured.ts';

export const plugins = command({
  summary: 'Lists what a start would load, in order, and what each part serves.',
  options: {},
  flags: 'all',
  examples: ['plugins'],
  async run({ options, flags }, composition, terminal) {
    const { plan, problems } = await checkConfigured(flags, composition, terminal);
    const list = plan.faces.map(({ name, loaded }) => ({
      name,
      from: loaded.from,
      ...(loaded.version && { version: loaded.version }),
      api: loaded.plugin.api,
      permissions: loaded.plugin.permissions ?? [],
      serves: plan.declarations.endpoints
        .filter(({ plugin }) => plugin === name)
        .map(({ endpoint }) => lineOf(endpoint)),
    }));
    if (options.json) terminal.out(JSON.stringify(list));
    else {
      for (const { name, from, version, permissions, serves } of list) {
        terminal.out(`${name}${version ? ` ${version}` : ''} (${from})`);
        if (permissions.length > 0) terminal.out(`  may: ${permissions.join(', ')}`);
        for (const line of serves) terminal.out(`  ${line}`);
      }
    }
    for (const problem of problems) terminal.error(describeProblem(problem));
    return problems.length === 0 ? 0 : 1;
  },
});
