import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that a test fills, shuts or enlarges. Needs root and leave to mount. */
export class Tmpfs {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Undefined where none can be mounted. */
  static async mount(size: string): Promise<Tmpfs | undefined> {
    const dir = await mkdtemp(join(tmpdir(), 'mesh-tmpfs-'));
    if (run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir)) return new Tmpfs(dir);
    await rm(dir, { recursive: true });
    return undefined;
  }

  /** `size=8m`, `ro` or `rw`. */
  change(option: string): void {
    if (!run('mount', '-o', `remount,${option}`, this.dir)) throw new Error(`no remount with ${option}`);
  }

  async unmount(): Promise<void> {
    if (run('umount', this.dir)) await rm(this.dir, { recursive: true });
  }
}

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
