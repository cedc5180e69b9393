import { adapters } from '../../adapters/index.ts';
import { runCommand } from '../../core/cli/main.ts';
import { composition } from '../../core/host/wiring/composition.ts';
import type { Profile } from '../../core/plugin.ts';
import { programsFolder } from '../../plugins/explorer/public-folder.ts';
import { plugins } from '../../plugins/index.ts';

/** The output of `mesh openapi --profile … --all-plugins`. Rejects where the build has not made all that is served. */
export async function printedDocument(profile: Profile): Promise<string> {
  if (!programsFolder())
    throw new Error('the programs of /recount are not built: run `npm run openapi`, which builds them');
  const lines: string[] = [];
  const terminal = {
    env: {},
    out: (text: string) => void lines.push(`${text}\n`),
    error: (text: string) => void lines.push(text),
    untilStopped: () => Promise.resolve(),
  };
  const args = ['openapi', '--profile', profile, '--all-plugins'];
  const code = await runCommand(args, composition({ adapters, plugins }), terminal);
  if (code !== 0) throw new Error(lines.join(''));
  return lines.join('');
}
