import { adapters, localnet, program } from '../../adapters/index.ts';
import type { Terminal } from '../../core/cli/command.ts';
import { runCommand } from '../../core/cli/main.ts';
import { allCommands } from '../../core/cli/mesh.ts';
import { composition, type Parts } from '../../core/host/wiring/composition.ts';
import { plugins, standard } from '../../plugins/index.ts';

const parts = { adapters, plugins: {} };

/** Every command of `mesh`. */
export const commands = allCommands({ parts, localnet: async () => localnet(), program, isOrphan: () => false });

/** Runs a command in this process. */
export function mesh(args: readonly string[], env: Record<string, string> = {}, more: Partial<Terminal> = {}) {
  return run(parts, args, env, more);
}

/** The same with the plugins that are built in. */
export function meshWithPlugins(args: readonly string[], env: Record<string, string> = {}) {
  return run({ adapters, plugins, standard }, args, env, {});
}

async function run(parts: Parts, args: readonly string[], env: Record<string, string>, more: Partial<Terminal>) {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    error: (text: string) => void error.push(text),
    env,
    untilStopped: () => Promise.resolve(),
    ...more,
  };
  const code = await runCommand(args, composition(parts), terminal, commands);
  return { code, out: out.join('\n'), error: error.join('\n') };
}
