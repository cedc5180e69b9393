import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../platform/package-root.ts';
import { type CommandGroup, command, Failure, UsageError } from './command.ts';

const EXAMPLE = 'hello-plugin';
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
    const next = [`cd ${relative('.', folder)}`, installCommand(), 'npx mesh check .', 'npx mesh start'];
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
    writeFileSync(
      path,
      file === 'package.json' ? text.replace(`"name": "${plugin}"`, `"name": "${packageName}"`) : text,
    );
  }
}

/** From an installed package npm finds the same one again; a checkout is copied, as no registry has it. */
function installCommand(): string {
  const installed = basename(dirname(packageRoot)) === 'node_modules';
  return installed ? 'npm install' : `npm install --no-save --install-links ${JSON.stringify(packageRoot)}`;
}
