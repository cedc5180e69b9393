import { adapters, localnet, program } from '../../adapters/index.ts';
import type { Terminal } from '../../core/cli/command.ts';
import { runCommand } from '../../core/cli/main.ts';
import { allCommands } from '../../core/cli/mesh.ts';
import { composition } from '../../core/host/wiring/composition.ts';

const parts = { adapters, plugins: {} };

/** Every command of `mesh`. */
export const commands = allCommands({ parts, localnet: async () => localnet(), program, parent: process.ppid });

/** Runs a command in this process. */
export async function mesh(args: readonly string[], env: Record<string, string> = {}, more: Partial<Terminal> = {}) {
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
