import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { installedWithIt } from './installed-with-it.ts';

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** An empty folder of a stranger, in which this package and the example plugin are installed from their tarballs. */
export class Installed {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Installed> {
    // A pack without scripts follows, so that two packs at a time build once.
    finish(spawnSync('npm', ['run', '--silent', 'prepack'], { cwd: packageRoot, encoding: 'utf8' }));
    const folder = await mkdtemp(join(tmpdir(), 'mesh-installed-'));
    await mkdir(join(folder, 'node_modules'));
    await unpack(packageRoot, folder);
    await unpack(join(packageRoot, 'examples/hello-plugin'), folder);
    await linkDependencies(folder);
    await mkdir(join(folder, 'node_modules/.bin'));
    await symlink('../agent-mesh/bin/mesh.js', join(folder, 'node_modules/.bin/mesh'));
    await chmod(join(folder, 'node_modules/agent-mesh/bin/mesh.js'), 0o755);
    return new Installed(folder);
  }

  async write(file: string, value: object): Promise<void> {
    await writeFile(join(this.folder, file), JSON.stringify(value));
  }

  /** Runs a `mesh` command in the folder. */
  mesh(...args: string[]): Finished {
    return this.run(join('node_modules/agent-mesh/bin/mesh.js'), ...args);
  }

  /** Runs a script of Node in the folder. */
  run(...args: string[]): Finished {
    return this.#command(process.execPath, args);
  }

  /** Runs lines as they are pasted into a terminal, up to the first that fails. */
  shell(lines: string): Finished {
    return this.#command('sh', ['-ec', lines]);
  }

  #command(program: string, args: string[]): Finished {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: cleanEnvironment(),
    });
    return { code: status, out: stdout, error: stderr };
  }

  /** Runs `mesh start` in a folder of it while `use` works with the URL it printed; gives its exit code. */
  async started(use: (url: string) => Promise<void>, cwd = '.', ...options: string[]): Promise<number | null> {
    const child = spawn(
      process.execPath,
      [join(this.folder, 'node_modules/agent-mesh/bin/mesh.js'), 'start', ...options],
      {
        cwd: join(this.folder, cwd),
        env: cleanEnvironment(),
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const exit = once(child, 'exit');
    try {
      await use(await urlOf(child.stderr));
    } finally {
      child.kill('SIGTERM');
    }
    return (await exit)[0] as number | null;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** What `npm install` of a tarball does with it in the folder, without asking a registry. The package may be laid elsewhere. */
export async function unpack(
  source: string,
  folder: string,
  homeOf = (name: string) => join(folder, 'node_modules', name),
): Promise<void> {
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: source,
    encoding: 'utf8',
  });
  finish(packed);
  const [{ filename, name }] = JSON.parse(packed.stdout) as [{ filename: string; name: string }];
  const home = homeOf(name);
  await mkdir(home, { recursive: true });
  finish(spawnSync('tar', ['-xzf', join(folder, basename(filename)), '-C', home, '--strip-components=1']));
}

/** Links what npm installs with the package: no package that only its checkout needs. */
export async function linkDependencies(folder: string): Promise<void> {
  for (const name of installedWithIt()) {
    const home = join(folder, 'node_modules', name);
    await mkdir(dirname(home), { recursive: true });
    await symlink(join(packageRoot, 'node_modules', name), home);
  }
}

function finish({ status, stderr, error }: ReturnType<typeof spawnSync>): void {
  if (error) throw error;
  assert.equal(status, 0, String(stderr));
}

/** Without what the test runner set for itself. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  return env;
}

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  return new Promise((found, failed) => {
    // Read to its end: a node whose standard error is closed ends with its next line.
    output.on('data', (chunk) => {
      text += String(chunk);
      const url = /^node .* at (http:\S+)/m.exec(text)?.[1];
      if (url) found(url);
    });
    output.once('end', () => failed(new Error(`it did not start: ${text}`)));
  });
}
