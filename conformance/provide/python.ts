import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from './command.ts';
import { folder, installed } from './folder.ts';

const REQUIREMENTS = join(folder, 'requirements.txt');
/** Environments by name, each with its list: the kit of A2A, its client and the clients of x402 need much that nothing else does. */
const ENVIRONMENTS = {
  python: REQUIREMENTS,
  tck: join(folder, 'requirements-tck.txt'),
  x402: join(folder, 'requirements-x402.txt'),
  a2a: join(folder, 'requirements-a2a.txt'),
} as const;
const MARK = 'requirements-of-install';

/** Whether an environment has all that its list names. */
export function isInstalled(name: keyof typeof ENVIRONMENTS): boolean {
  const mark = join(installed(name), MARK);
  return existsSync(mark) && readFileSync(mark, 'utf8') === readFileSync(ENVIRONMENTS[name], 'utf8');
}

/** A Python environment of its own with what its list names; the path of its folder. */
export async function pythonEnvironment(name: keyof typeof ENVIRONMENTS = 'python'): Promise<string> {
  const list = ENVIRONMENTS[name];
  const path = installed(name);
  if (isInstalled(name)) return path;
  rmSync(path, { recursive: true, force: true });
  await runOrThrow('python3', ['-m', 'venv', path]).catch((error: Error) => {
    throw new Error(`Python 3 with venv is needed (on Debian: apt-get install python3-venv). ${error.message}`);
  });
  await runOrThrow(join(path, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', list]);
  writeFileSync(join(path, MARK), readFileSync(list));
  return path;
}

/** Where a package of that environment lies. */
export async function pythonPackage(name: string): Promise<string> {
  const environment = await pythonEnvironment();
  const code = `import importlib.util as u; print(u.find_spec(${JSON.stringify(name)}).submodule_search_locations[0])`;
  return (await runOrThrow(join(environment, 'bin/python'), ['-c', code])).trim();
}

/** The source archive of a package of requirements.txt, unpacked: some tests are in no wheel. */
export async function pythonSource(name: string): Promise<string> {
  const pinned = readFileSync(REQUIREMENTS, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}==`));
  if (!pinned) throw new Error(`requirements.txt does not name ${name}`);
  const path = installed('sources');
  const unpacked = join(path, pinned.replace('==', '-'));
  if (existsSync(unpacked)) return unpacked;
  const pip = join(await pythonEnvironment(), 'bin/pip');
  const quiet = ['--quiet', '--disable-pip-version-check'];
  await runOrThrow(pip, ['download', ...quiet, '--no-deps', '--no-binary', ':all:', '-d', path, pinned]);
  await runOrThrow('tar', ['xzf', `${unpacked}.tar.gz`, '-C', path]);
  return unpacked;
}
