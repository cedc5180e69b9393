import { describeApi } from '../openapi/document.ts';
import { describeProfile } from '../openapi/profile.ts';
import { describeProblem } from '../problem.ts';
import { VERSION } from '../version.ts';
import { type Command, takeOption, UsageError } from './command.ts';
import { checkConfigured } from './configured.ts';

export const openapi: Command = {
  summary: 'Prints the OpenAPI document of a profile, without starting anything.',
  usage: '[--profile node|aggregator] [--all-plugins] [--config FILE]',
  async run(args, composition, terminal) {
    const { value: all, rest } = takeOption(args, 'all-plugins', 'switch');
    if (all) {
      const { value: profile = 'node', rest: others } = takeOption(rest, 'profile', 'text');
      if (profile !== 'node' && profile !== 'aggregator') throw new UsageError(`there is no profile ${profile}`);
      if (others.length > 0) throw new UsageError(`--all-plugins takes no ${others[0]}`);
      terminal.out(JSON.stringify(await describeProfile(profile, composition.builtins), null, 2));
      return 0;
    }
    const { plan, problems, configuration, contracts } = await checkConfigured(rest, composition, terminal);
    for (const problem of problems) terminal.error(describeProblem(problem));
    if (problems.length > 0) return 1;
    const { profile } = configuration.settings;
    const { declarations } = plan;
    terminal.out(JSON.stringify(describeApi({ profile, version: VERSION, declarations, contracts }), null, 2));
    return 0;
  },
};
