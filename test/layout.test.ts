import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../core/platform/package-root.ts';
import { CORE_SPACES } from '../core/storage/names.ts';

const SOURCES = ['core', 'adapters', 'plugins', 'schemas', 'clients', 'test', 'bench', 'examples'];
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g;

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = SOURCES.flatMap(sources);
const imports = files.flatMap(importsOf);

/** Who may import a package that has one home. */
const HOMES: Record<string, RegExp> = {
  inversify: /^core\/host\/boot\/container\.ts$/,
  koa: /^core\/http\//,
  '@koa/router': /^core\/http\//,
  'koa-websocket': /^core\/http\//,
  ioredis: /^adapters\/storage-redis\//,
  lowdb: /^adapters\/storage-lowdb\//,
  '@solana/web3.js': /^adapters\/(ledger-solana|localnet)\//,
  litesvm: /^adapters\/localnet\//,
};

/** The rooms of core from the ground up. A room imports those below it only, and neighbours on its own line never. */
const LEVELS = [
  ['platform'],
  ['contracts'],
  ['protocol/settlement'],
  ['protocol/identity'],
  ['protocol/envelopes'],
  ['protocol/signer'],
  ['protocol/batches', 'protocol/deals', 'protocol/reputation'],
  ['storage'],
  ['ledger'],
  ['mesh'],
  ['messaging'],
  ['http'],
  ['services'],
  ['services.ts'],
  ['plugin.ts'],
  ['internal-services.ts'],
  ['provider.ts'],
  ['client'],
  ['node', 'aggregator'],
  ['host'],
  ['index.ts'],
  ['testing'],
  ['cli'],
];

describe('the house', () => {
  it('each room of core imports only rooms below it', () => {
    const levels = new Map(LEVELS.flatMap((rooms, level) => rooms.map((name) => [name, level] as const)));
    const levelOf = (path: string) => {
      const level = levels.get(roomOfCore(path));
      assert.notEqual(level, undefined, `${path} is in no room of LEVELS`);
      return level!;
    };
    none(
      ({ from, to }) =>
        from.startsWith('core/') &&
        to.startsWith('core/') &&
        roomOfCore(from) !== roomOfCore(to) &&
        levelOf(to) >= levelOf(from),
    );
  });

  it('the client imports types alone of other rooms, but for the text it shows', () => {
    const all = files.filter((file) => file.startsWith('core/client/')).flatMap(importsOf);
    const own = all.filter(({ to }) => !to.startsWith('core/client/'));
    const values = own.filter(
      ({ from, to }) => !new RegExp(`import type [^;]*${to.split('/').at(-1)}`).test(read(from)),
    );
    assert.deepEqual([...new Set(values.map(({ to }) => to))], ['core/platform/visible-text.ts']);
  });

  it('core never imports plugins or adapters', () => {
    none(({ from, to }) => from.startsWith('core/') && /^(plugins|adapters)\//.test(to));
  });

  it('schemas import nothing of ours', () => {
    none(({ from, to }) => from.startsWith('schemas/') && /^(core|plugins|adapters)\//.test(to));
  });

  it('a plugin never imports another plugin or an adapter', () => {
    none(
      ({ from, to }) =>
        /^plugins\/[^/]+\//.test(from) &&
        (to.startsWith('adapters/') || (to.startsWith('plugins/') && room(from) !== room(to))),
    );
  });

  it('a plugin imports the public doors, schemas and its own folder, and of Node no servers and no processes', () => {
    const doors = ['core/plugin.ts', 'core/services.ts', 'schemas/types.ts'];
    const closed = /^(node:(http|https|net|tls|child_process|cluster|worker_threads)|koa|ws|ioredis|inversify)(\/|$)/;
    none(
      ({ from, to }) =>
        /^plugins\/[^/]+\//.test(from) && (closed.test(to) || (/^(core|schemas)\//.test(to) && !doors.includes(to))),
    );
  });

  it('an adapter never imports another adapter or a plugin; the files beside them do', () => {
    none(
      ({ from, to }) =>
        from.startsWith('adapters/') &&
        /^adapters\/[^/]+\//.test(from) &&
        (to.startsWith('plugins/') || (to.startsWith('adapters/') && room(from) !== room(to))),
    );
  });

  for (const [name, home] of Object.entries(HOMES)) {
    it(`${name} is imported in its home only`, () => {
      none(
        ({ from, to }) =>
          (to === name || to.startsWith(`${name}/`)) && !home.test(from) && !/^(test|bench)\//.test(from),
      );
    });
  }

  it('a name leads to the services offered to plugins only: core makes every other token internal', () => {
    const made = files.filter((file) => file.startsWith('core/') && /= (guardedT|t)oken</.test(read(file)));
    const offered = /^core\/(services\.ts|services\/|platform\/token\.ts$)/;
    assert.deepEqual(
      made.filter((file) => !offered.test(file)),
      [],
    );
  });

  it("core's tables of errors and flags name no plugin", () => {
    const plugins = readdirSync(join(packageRoot, 'plugins')).filter((name) => !name.includes('.'));
    const tables = ['core/contracts/errors.ts', 'core/host/config/flags.ts'].map(read).join('\n');
    assert.ok(plugins.length > 10);
    assert.deepEqual(
      plugins.filter((name) => new RegExp(`\\b${name}(?![a-z])`, 'i').test(tables.replaceAll('_', ' '))),
      [],
    );
  });

  it('a space of core has a name that no plugin can have', () => {
    const named = files
      .filter((file) => file.startsWith('core/'))
      .flatMap((file) =>
        [...read(file).matchAll(/(?:store\.space\(|this\.space\(|\bSPACE = )'([^']+)'/g)].map(([, name]) => name!),
      );
    assert.ok(named.length > 4);
    assert.deepEqual(
      named.filter((name) => !name.includes('_') && !CORE_SPACES.includes(name)),
      [],
    );
  });

  it('no source file has more than 300 lines', () => {
    const long = files
      .filter((file) => !/^(test|bench|examples)\/|^core\/client\/generated\/|^schemas\/types\.ts$/.test(file))
      .map((file) => ({ file, lines: read(file).split('\n').length }))
      .filter(({ lines }) => lines > 300);
    assert.deepEqual(long, []);
  });

  it('comments name the actor: none begins with what, who or whose', () => {
    const unnamed = files
      .filter((file) => /^(core|adapters|plugins)\//.test(file) && !file.startsWith('core/client/generated/'))
      .flatMap((file) =>
        [...read(file).matchAll(/^\s*(?:\/\/|\/?\*\*?) (?:What|Who|Whose) .*/gm)].map(([line]) => `${file}: ${line}`),
      );
    assert.deepEqual(unnamed, []);
  });

  it('half of the source files stay under 130 lines', () => {
    const lengths = files
      .filter((file) => /^(core|adapters|plugins)\//.test(file))
      .map((file) => read(file).split('\n').length);
    lengths.sort((a, b) => a - b);
    assert.ok(lengths[lengths.length >> 1]! < 130, `the median is ${lengths[lengths.length >> 1]} lines`);
  });
});

function none(breaks: (one: Import) => boolean): void {
  assert.deepEqual(imports.filter(breaks), []);
}

function room(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** `mesh` of `core/mesh/relay/relay.ts`, `protocol/deals` of a file there, and a door itself. */
function roomOfCore(path: string): string {
  const [, room, inner] = path.split('/') as [string, string, string?];
  return room === 'protocol' ? `${room}/${inner}` : room;
}

function sources(folder: string): string[] {
  const absolute = join(packageRoot, folder);
  try {
    return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  } catch {
    return [];
  }
}

function importsOf(from: string): Import[] {
  return [...read(from).matchAll(IMPORT)].map((match) => {
    const target = (match[1] ?? match[2] ?? match[3])!;
    const to = target.startsWith('.')
      ? relative(packageRoot, resolve(join(packageRoot, dirname(from)), target))
      : target;
    return { from, to };
  });
}

function read(file: string): string {
  return readFileSync(join(packageRoot, file), 'utf8');
}
