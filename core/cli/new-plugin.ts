import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../platform/package-root.ts';
import { type CommandGroup, command, Failure, UsageError } from './command.ts';

const EXAMPLE = 'hello-plugin';
const NEXT = ['npx mesh check .', 'npm test', 'npm pack --dry-run', 'npx mesh start --watch'];
const PACKAGE_NAME = /^(@[a-z0-9][a-z0-9._-]*\/)?([a-z0-9][a-z0-9-]{0,63})$/;

/** `mesh new plugin NAME`: a package of its own that works from the first moment, to be changed from there. */
const newPlugin = command({
  summary: 'Makes a folder with a plugin in it: a package with a route, a stream, a job and tests, all green.',
  about: 'docs/plugin-guide.md explains what is in it.',
  words: [{ name: 'NAME', summary: 'kebab-case, with a scope if you like: weather, @acme/weather' }],
  options: {},
  examples: ['new plugin weather'],
  async run({ words: [name = ''], options }, _, terminal) {
    const plugin = PACKAGE_NAME.exec(name)?.[2];
    if (plugin === undefined) throw new UsageError(`${name} is no kebab-case name such as weather or @acme/weather`);
    const folder = resolve(plugin);
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new Failure(`${folder} is there already and not empty; choose another name`, { folder });
    }
    copyExample(folder, name, plugin);
    writeFileSync(join(folder, '.gitignore'), 'node_modules/\ndata/\n');
    const next = [`cd ${relative('.', folder)}`, ...installCommand(folder), ...NEXT];
    if (options.json) terminal.out(JSON.stringify({ plugin, folder, next }));
    else terminal.out([`Made the plugin ${plugin} in ${folder}. Next:`, ...next.map((line) => `  ${line}`)].join('\n'));
    return 0;
  },
});

export const newCommand: CommandGroup = {
  summary: 'Makes a folder with a new plugin: a package with a route, a stream, a job and tests.',
  commands: { plugin: newPlugin },
};

function copyExample(folder: string, packageName: string, plugin: string): void {
  const source = join(packageRoot, 'examples', EXAMPLE);
  cpSync(source, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8').replaceAll(EXAMPLE, plugin);
    writeFileSync(path, isAboutPackage(file) ? named(text, plugin, packageName) : text);
  }
}

function isAboutPackage(file: string): boolean {
  return file === 'package.json' || file === 'README.md';
}

/** A package may have a scope, which its plugin has not. */
function named(text: string, plugin: string, packageName: string): string {
  return ['"name": "$"', 'npm install $', '"plugins": { "$"'].reduce(
    (changed, place) => changed.replace(place.replace('$', plugin), place.replace('$', packageName)),
    text,
  );
}

/**
 * Below the folder of an installed package Node finds it without an installation of its own. A checkout is copied, as no
 * registry has it.
 */
function installCommand(folder: string): string[] {
  const modules = dirname(packageRoot);
  if (basename(modules) !== 'node_modules') {
    return [`npm install --no-save --install-links ${JSON.stringify(packageRoot)}`];
  }
  const isBelow = !relative(dirname(modules), folder).startsWith('..');
  return isBelow ? [] : ['npm install'];
}
