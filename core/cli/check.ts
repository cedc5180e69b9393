import { insideImports } from '../host/loader/inside-imports.ts';
import { describeProblem } from '../platform/problem.ts';
import { command, Failure } from './command.ts';
import { checkConfigured } from './configured.ts';

/** Checks what a start would load. */
export const check = command({
  summary: 'Checks plugins.json, its plugins and all they declare, without starting anything.',
  options: {},
  flags: 'all',
  examples: ['check', 'check --config node.json'],
  async run({ options, flags }, composition, terminal) {
    const { plan, problems, configuration } = await checkConfigured(flags, composition, terminal);
    const { profile } = configuration.settings;
    const facts = {
      profile,
      plugins: plan.faces.length,
      endpoints: plan.declarations.endpoints.length,
      left_out: plan.out,
      problems,
      warnings: configuration.warnings,
    };
    for (const warning of configuration.warnings) terminal.error(`warning: ${describeProblem(warning)}`);
    for (const what of plan.faces.flatMap(({ loaded }) =>
      loaded.url === undefined ? [] : insideImports(loaded.url),
    )) {
      terminal.error(`warning: ${what}`);
    }
    for (const { name, reason } of plan.out) terminal.error(`${name}: left out; ${reason}`);
    if (problems.length > 0) throw new Failure(problems.map(describeProblem).join('\n'), facts);
    if (options.json) terminal.out(JSON.stringify({ ok: true, ...facts }));
    else terminal.out(`${profile}: ${facts.plugins} parts serve ${facts.endpoints} endpoints; nothing is wrong`);
    return 0;
  },
});
