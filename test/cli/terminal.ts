import { adapters, localnet } from '../../adapters/index.ts';
import { backupCommand, restoreCommand } from '../../core/cli/backup.ts';
import { doctorCommand } from '../../core/cli/doctor.ts';
import { COMMANDS, type Command, runCommand } from '../../core/cli/main.ts';
import { exportCommand, importCommand } from '../../core/cli/move-store.ts';
import { owner } from '../../core/cli/owner.ts';
import { agents, deals, identity, inbox } from '../../core/cli/queries.ts';
import { stake } from '../../core/cli/stake.ts';
import { token } from '../../core/cli/token.ts';
import { composition } from '../../core/wiring/composition.ts';

const commands: Record<string, Command> = {
  ...COMMANDS,
  doctor: doctorCommand(localnet),
  backup: backupCommand({ adapters, plugins: {} }),
  restore: restoreCommand({ adapters, plugins: {} }),
  export: exportCommand(adapters.storage),
  import: importCommand(adapters.storage),
  identity,
  owner,
  deals,
  inbox,
  agents,
  stake,
  token,
};

/** Runs a command in this process. */
export async function mesh(args: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    error: (text: string) => void error.push(text),
    env,
    untilStopped: () => Promise.resolve(),
  };
  const code = await runCommand(args, composition({ adapters, plugins: {} }), terminal, commands);
  return { code, out: out.join('\n'), error: error.join('\n') };
}
