import { type DevTools, dev } from '../dev/command.ts';
import { DEV_USAGE, UsageError as DevUsageError } from '../dev/options.ts';
import type { ProgramTools } from '../ledger/program-deployment.ts';
import { composition } from '../wiring/composition.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { checkCommand } from './check-plugin.ts';
import { doctorCommand } from './doctor.ts';
import { faucet } from './faucet.ts';
import { endOnFaults } from './faults.ts';
import { localnetCommand } from './localnet.ts';
import { COMMANDS, type Command, type ExitCode, runCommand } from './main.ts';
import { exportCommand, importCommand } from './move-store.ts';
import { newPlugin } from './new-plugin.ts';
import { owner } from './owner.ts';
import { processTerminal } from './process-terminal.ts';
import { programCommand } from './program.ts';
import { agents, deals, identity, inbox } from './queries.ts';
import { stake } from './stake.ts';
import { token } from './token.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface MeshTools extends DevTools {
  readonly program: () => Promise<ProgramTools>;
}

/** The whole `mesh` command, given what this package brings along. Gives the exit code. */
export async function main(argv: readonly string[], tools: MeshTools): Promise<ExitCode> {
  endOnFaults();
  const terminal = processTerminal(tools.parent);
  const commands = {
    dev: devCommand(tools),
    localnet: localnetCommand(tools),
    faucet,
    ...COMMANDS,
    check: checkCommand(tools.parts),
    new: newPlugin,
    doctor: doctorCommand(tools.localnet),
    backup: backupCommand(tools.parts),
    restore: restoreCommand(tools.parts),
    program: programCommand(tools.program),
    export: exportCommand(tools.parts.adapters.storage),
    import: importCommand(tools.parts.adapters.storage),
    identity,
    owner,
    deals,
    inbox,
    agents,
    stake,
    token,
  };
  // The clock's timers keep no process alive: a command that waits for its next try would end without a word.
  const held = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    return await runCommand(argv, composition(tools.parts), terminal, commands);
  } finally {
    clearInterval(held);
  }
}

function devCommand(tools: DevTools): Command {
  return {
    summary: 'Runs a whole mesh on this machine, with agents that trade.',
    usage: '[options]',
    help: DEV_USAGE,
    async run(args, _, terminal) {
      try {
        await dev(args, tools);
        return 0;
      } catch (error) {
        terminal.error(error instanceof Error ? error.message : String(error));
        return error instanceof DevUsageError ? 2 : 1;
      }
    },
  };
}
