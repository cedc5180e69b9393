import type { Settings } from './config/configuration.ts';
import type { Log } from './log.ts';
import { logFile } from './log-file.ts';
import { pinoLog } from './pino-log.ts';
import { messageOf, type Problem, wayOut } from './problem.ts';

/** The log that settings ask for. Where its file cannot be written to, that is a problem and the log is standard output. */
export function openLog({ level = 'info', file }: Partial<Settings['log']> = {}, problems: Problem[]): Log {
  if (file === undefined) return pinoLog(level);
  try {
    return pinoLog(level, logFile(file));
  } catch (error) {
    const hint = wayOut(error) ?? 'name another file with --log-file';
    problems.push({ where: 'log.file', what: `cannot be written to: ${messageOf(error)}`, hint });
    return pinoLog(level);
  }
}
