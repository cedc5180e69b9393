import { composition } from '../host/wiring/composition.ts';
import type { ProgramTools } from '../ledger/program-deployment.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { checkCommand } from './check-plugin.ts';
import { completionCommand } from './completion.ts';
import { config } from './config-show.ts';
import { accept } from './deal/accept.ts';
import { contest } from './deal/contest.ts';
import { counter } from './deal/counter.ts';
import { deals } from './deal/deals.ts';
import { deliver } from './deal/deliver.ts';
import { dispute } from './deal/dispute.ts';
import { refund, release } from './deal/escrow-steps.ts';
import { feedback } from './deal/feedback.ts';
import { lock } from './deal/lock.ts';
import { pay } from './deal/pay.ts';
import { propose } from './deal/propose.ts';
import { reject } from './deal/reject.ts';
import { type DevTools, devCommand } from './dev/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { faucet } from './faucet.ts';
import { endOnFaults } from './faults.ts';
import { hosted } from './hosted.ts';
import { inbox } from './inbox/command.ts';
import { init } from './init.ts';
import { localnetCommand } from './localnet.ts';
import { logs } from './logs.ts';
import { COMMANDS, type Commands, type ExitCode, runCommand } from './main.ts';
import { mcp } from './mcp/mcp.ts';
import { exportCommand, importCommand } from './move-store.ts';
import { newCommand } from './new-plugin.ts';
import { owner } from './owner.ts';
import { probe } from './probe.ts';
import { processTerminal } from './process-terminal.ts';
import { programCommand } from './program.ts';
import { agents, identity, skills } from './queries.ts';
import { send } from './send.ts';
import { serviceCommand } from './service.ts';
import { sleep, wake } from './sleep.ts';
import { stake } from './stake.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { token } from './token.ts';
import { verifyScoreCommand } from './verify-score.ts';
import { wallet } from './wallet.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface MeshTools extends DevTools {
  readonly program: () => Promise<ProgramTools>;
}

/** How the overview groups them. */
const TOPICS = {
  'Run:': ['init', 'start', 'stop', 'sleep', 'wake', 'service', 'dev', 'localnet', 'faucet'],
  'Look:': ['status', 'logs', 'identity', 'agents', 'owner', 'skills', 'verify-score', 'doctor'],
  'Trade:': ['send', 'propose', 'deals', 'inbox', 'wallet', 'stake', 'probe', 'hosted', 'token'],
  'Steps of a deal:': ['accept', 'counter', 'reject', 'lock', 'deliver', 'release', 'pay', 'feedback'],
  'When a deal goes wrong:': ['refund', 'dispute', 'contest'],
  'Configure and extend:': ['config', 'check', 'plugins', 'openapi', 'new', 'completion'],
  'Keep and move:': ['backup', 'restore', 'export', 'import', 'program'],
};

/** Every command there is. */
export function allCommands(tools: MeshTools): Commands {
  const all: Commands = {
    completion: completionCommand(() => all),
    stop,
    service: serviceCommand,
    dev: devCommand(tools),
    localnet: localnetCommand(tools),
    faucet,
    ...COMMANDS,
    check: checkCommand(tools.parts),
    new: newCommand,
    doctor: doctorCommand({ localnet: tools.localnet, adapters: tools.parts.adapters }),
    backup: backupCommand(tools.parts),
    restore: restoreCommand(tools.parts),
    program: programCommand(tools.program),
    export: exportCommand(tools.parts.adapters.storage),
    import: importCommand(tools.parts.adapters.storage),
    init,
    status,
    logs,
    config,
    send,
    propose,
    accept,
    counter,
    reject,
    lock,
    deliver,
    release,
    pay,
    feedback,
    dispute,
    contest,
    refund,
    identity,
    owner,
    deals,
    inbox,
    hosted,
    agents,
    skills,
    sleep,
    wake,
    wallet,
    stake,
    probe,
    token,
    mcp,
    'verify-score': verifyScoreCommand(tools.parts.adapters.storage),
  };
  return all;
}

/** The whole `mesh` command, given what this package brings along. Gives the exit code. */
export async function main(argv: readonly string[], tools: MeshTools): Promise<ExitCode> {
  endOnFaults();
  // The clock's timers keep no process alive: a command that waits for its next try would end without a word.
  const held = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    return await runCommand(
      argv,
      composition(tools.parts),
      processTerminal(tools.isOrphan),
      allCommands(tools),
      TOPICS,
    );
  } finally {
    clearInterval(held);
  }
}
