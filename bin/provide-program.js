// Programs that some tests need and no package brings: found, or installed by the system's package manager when root asks.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Installs one of `programs` where none is on the path; `managers` has, by the name of a package manager, its lines, which are tried one after
 * the other until there is one. Says `installing` before, and `skipped` when there is none in the end.
 */
export function provideProgram({ programs, managers, installing, skipped, say }) {
  if (isOnPath(...programs)) return;
  const manager = process.getuid?.() === 0 && Object.keys(managers).find((name) => isOnPath(name));
  if (manager) {
    say(installing(manager));
    const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    for (const args of managers[manager]) {
      spawnSync(manager, args, quiet);
      if (isOnPath(...programs)) return;
    }
  }
  say(skipped);
}

function isOnPath(...programs) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return programs.some((program) => folders.some((folder) => existsSync(join(folder, program))));
}
