// Makes a checkout runnable: installs what the lock file names and builds what has changed. Plain JavaScript without
// dependencies, because it runs before anything is installed. In an installed package there is nothing to do.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const OLDEST_NODE = [20, 19];
// Standard output belongs to the command that is prepared: it may be `--json`.
const ASIDE = { stdio: ['ignore', 2, 2] };
const SOURCES = [
  ...['core', 'adapters', 'plugins', 'schemas', 'clients/recount'],
  ...['bin/bundle.js', 'bin/bundle-pages.js', 'bin/compile-contracts.ts', 'bin/contracts.js', 'bin/declarations.js'],
];

/** Exits with a sentence when this Node is too old. */
export function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  fail(
    `agent-mesh needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer Node.`,
  );
}

/** True in a checkout, false in an installed package, which ships the build only. */
export function isCheckout() {
  return existsSync(join(root, 'core')) && existsSync(join(root, 'package-lock.json'));
}

export function install() {
  // Modules linked from elsewhere are not ours to replace: npm would empty the place they come from.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const stamp = join(root, 'node_modules', '.agent-mesh-lock');
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256')
    .update(lock)
    .update(`${process.platform}-${process.arch}-${process.versions.modules}`)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!isInstalled(JSON.parse(lock))) {
    say('Installing the packages named in package-lock.json (once; about half a minute) ...');
    run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], ASIDE);
  }
  writeFileSync(stamp, wanted);
}

/** Whether an `npm ci` by hand has left what the lock names; npm lists there what it has installed. */
function isInstalled({ packages: wanted }) {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const { packages: there } = JSON.parse(readFileSync(list, 'utf8'));
  const isThere = ([path, { version, integrity, ...one }]) => {
    const found = there[path];
    return found ? found.version === version && found.integrity === integrity : path === '' || !isForHere(one);
  };
  return Object.entries(wanted ?? {}).every(isThere) && Object.keys(there).every((path) => wanted?.[path]);
}

/** Whether npm installs a package on this machine. Of those for one C library only, one that is missing is the other's. */
function isForHere({ optional, os, cpu, libc }) {
  const fits = (names, name) =>
    !names || names.includes(name) || (names[0]?.startsWith('!') && !names.includes(`!${name}`));
  return !optional || (fits(os, process.platform) && fits(cpu, process.arch) && !libc);
}

/** The program; with its declarations, which take a minute and which only programs that import the package read, when they are asked for. */
export function build({ declarations = false } = {}) {
  const stamp = declarations ? '.declared' : '.built';
  const newest = Math.max(...SOURCES.map((folder) => newestChange(join(root, folder))), changed('tsconfig.build.json'));
  const made = join(root, 'dist', stamp);
  if (existsSync(made) && Number(readFileSync(made, 'utf8')) === newest) return;
  try {
    accessSync(root, constants.W_OK);
  } catch {
    fail(`agent-mesh has to be built, and this user cannot write to ${root}: run \`npm run build\` as its owner.`);
  }
  say('Building ...');
  const fresh = `dist-${process.pid}`;
  const clean = () => rmSync(join(root, fresh), { recursive: true, force: true });
  removeAbandoned();
  // A failure ends the process.
  process.once('exit', clean);
  try {
    mkdirSync(join(root, fresh));
    if (declarations) {
      const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
      // `npm test` checks the types itself.
      const options = ['--emitDeclarationOnly', '--noCheck', '--outDir', fresh];
      run(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...options], ASIDE);
      run(process.execPath, [join('bin', 'declarations.js'), fresh], ASIDE);
      writeFileSync(join(root, fresh, '.declared'), String(newest));
    }
    run(process.execPath, [join('bin', 'bundle.js'), fresh], ASIDE);
    writeFileSync(join(root, fresh, '.built'), String(newest));
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(join(root, fresh), join(root, 'dist'));
  } finally {
    process.off('exit', clean);
    clean();
  }
}

/** Folders that killed builds have left. */
function removeAbandoned() {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist-(\d+)$/.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isAlive(pid)) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    return code === 'EPERM';
  }
}

/** Runs a command in the root with its output shown; exits with a sentence when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0)
    fail(`\`${command} ${args.join(' ')}\` failed (exit code ${result.status ?? result.signal}).`);
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

export function fail(text) {
  say(text);
  process.exit(1);
}

function newestChange(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), stat.mtimeMs);
}

function changed(name) {
  return statSync(join(root, name)).mtimeMs;
}
