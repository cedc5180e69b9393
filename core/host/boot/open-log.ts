import type { Settings } from '../../contracts/settings.ts';
import { logFile } from '../../platform/log-file.ts';
import { type AdjustableLog, pinoLog } from '../../platform/pino-log.ts';
import { messageOf, type Problem, remedyOf } from '../../platform/problem.ts';
import { claimLog, LogInUse } from './log-claim.ts';

/** The log that settings ask for. Where its file cannot be written to, that is a problem and the log is standard output. */
export function openLog(
  { level = 'info', format, file }: Partial<Settings['log']> = {},
  problems: Problem[],
): AdjustableLog {
  if (file === undefined) return pinoLog(level, { format });
  try {
    const write = logFile(file);
    claimLog(file);
    return pinoLog(level, { format, write });
  } catch (error) {
    if (error instanceof LogInUse) {
      const hint = 'stop that node, or give this one its own --data-dir, --api-addr and --log-file';
      problems.push({ where: 'log.file', what: `${file} ${error.message}`, hint });
      return pinoLog(level, { format });
    }
    const hint = remedyOf(error) ?? 'name another file with --log-file';
    problems.push({ where: 'log.file', what: `cannot be written to: ${messageOf(error)}`, hint });
    return pinoLog(level, { format });
  }
}
