import { adapters } from '../../adapters/index.ts';
import { runCommand } from '../../core/cli/main.ts';
import { composition } from '../../core/host/wiring/composition.ts';
import type { Profile } from '../../core/plugin.ts';
import { plugins } from '../../plugins/index.ts';

/** What `mesh openapi --profile … --all-plugins` prints. */
export async function printedDocument(profile: Profile): Promise<string> {
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
