import { describeProblem } from '../problem.ts';
import { type Command, takeOption } from './command.ts';
import { checkConfigured } from './configured.ts';

export const check: Command = {
  summary: 'Checks plugins.json, its plugins and all they declare, without starting anything.',
  usage: '[--config FILE] [--json] [flags of start]',
  async run(args, composition, terminal) {
    const { value: json, rest } = takeOption(args, 'json', 'switch');
    const { plan, problems, configuration } = await checkConfigured(rest, composition, terminal);
    const { profile } = configuration.settings;
    const facts = {
      ok: problems.length === 0,
      profile,
      plugins: plan.faces.length,
      endpoints: plan.declarations.endpoints.length,
      left_out: plan.out,
      problems,
      warnings: configuration.warnings,
    };
    if (json) terminal.out(JSON.stringify(facts));
    else {
      for (const problem of problems) terminal.error(describeProblem(problem));
      for (const warning of configuration.warnings) terminal.error(`warning: ${describeProblem(warning)}`);
      for (const { name, reason } of plan.out) terminal.error(`${name}: left out; ${reason}`);
      if (facts.ok)
        terminal.out(`${profile}: ${facts.plugins} parts serve ${facts.endpoints} endpoints; nothing is wrong`);
    }
    return facts.ok ? 0 : 1;
  },
};
