import { readdirSync, readFileSync } from 'node:fs';

/** The living processes of a group. */
export function processesOfGroup(id: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [state, , processGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
        return Number(processGroup) === id && state !== 'Z';
      } catch {
        return false;
      }
    });
}

/** Ends what is left of a group, if anything. */
export function killGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
