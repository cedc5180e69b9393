import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const held = new Set<string>();

/** Keeps a second process away from a data folder. The lock of a process that was killed is taken over. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      held.add(path);
      return () => {
        held.delete(path);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isHeld(path)) break;
      rmSync(path, { force: true });
    }
  }
  throw new Error(`The localnet folder ${folder} is in use by another process; stop it or choose another folder.`);
}

function isHeld(path: string): boolean {
  const pid = Number(readFileSync(path, 'utf8'));
  // After a restart in a container the old process had this process's id.
  if (pid === process.pid) return held.has(path);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
