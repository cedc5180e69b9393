import { describeApi } from '../host/openapi/document.ts';
import { describeProfile } from '../host/openapi/profile.ts';
import { describeProblem } from '../platform/problem.ts';
import { VERSION } from '../platform/version.ts';
import { command, Failure, UsageError } from './command.ts';
import { checkConfigured } from './configured.ts';

export const openapi = command({
  summary: 'Prints the OpenAPI document of a profile, without starting anything.',
  options: {
    profile: {
      takes: 'NAME',
      summary: 'the profile',
      choices: ['node', 'aggregator'],
      default: 'that of plugins.json',
    },
    'all-plugins': { summary: 'with every plugin of this package, whatever plugins.json says' },
  },
  flags: 'all',
  examples: ['openapi', 'openapi --profile aggregator --all-plugins'],
  async run({ options: { json, profile: named, ...options }, flags }, composition, terminal) {
    const print = (document: object) => terminal.out(JSON.stringify(document, null, json ? undefined : 2));
    if (options['all-plugins']) {
      const [other] = flags.argv;
      if (other !== undefined) throw new UsageError(`--all-plugins takes no ${other}`);
      print(await describeProfile(named === 'aggregator' ? named : 'node', composition.builtins));
      return 0;
    }
    const argv = [...flags.argv, ...(named === undefined ? [] : [`--profile=${named}`])];
    const { plan, problems, configuration, contracts } = await checkConfigured(
      { ...flags, argv },
      composition,
      terminal,
    );
    if (problems.length > 0) throw new Failure(problems.map(describeProblem).join('\n'), { problems });
    const { profile } = configuration.settings;
    const { declarations } = plan;
    print(describeApi({ profile, version: VERSION, declarations, contracts }));
    return 0;
  },
});
