import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from '../platform/process-id.ts';
import { backgroundProcess, forgetBackground } from './background.ts';
import { command, Failure } from './command.ts';
import { settingsOf } from './target.ts';

/** Milliseconds in which it answers open calls and closes its store, those after a kill, and between two looks. */
const PATIENCE = 60_000;
const KILLED = 5_000;
const LOOK = 100;

export const stop = command({
  summary: 'Stops the node that mesh start --background started.',
  about: 'It is found by the data folder. A process that has taken over its pid is never signalled.',
  options: { force: { summary: 'kill it when it has not ended after a minute' } },
  flags: ['data-dir'],
  examples: ['stop', 'stop --config node.json'],
  async run({ options, flags }, _, terminal) {
    const { dataDir } = settingsOf(flags, terminal);
    const mark = backgroundProcess(dataDir);
    if (!mark) throw new Failure(`no node runs in the background with the data folder ${dataDir}`);
    const { pid } = mark;
    const gone = async (ms: number) => {
      for (let waited = 0; isRunning(mark); waited += LOOK) {
        if (waited >= ms) return false;
        await pause(LOOK);
      }
      return true;
    };
    process.kill(pid, 'SIGTERM');
    let isGone = await gone(PATIENCE);
    if (!isGone && options.force && isRunning(mark)) {
      process.kill(pid, 'SIGKILL');
      isGone = await gone(KILLED);
    }
    if (!isGone) throw new Failure(`process ${pid} has not ended yet; mesh stop --force kills it`, { pid });
    forgetBackground(dataDir);
    terminal.out(options.json ? JSON.stringify({ ok: true, pid }) : `process ${pid} has ended`);
    return 0;
  },
});
