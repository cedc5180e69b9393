import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Packages of Debian that bring the programs. */
const PACKAGES: Readonly<Record<string, string>> = {
  promtool: 'prometheus',
  'systemd-analyze': 'systemd',
  unshare: 'util-linux',
};
const told = new Set<string>();

/** A program on the PATH or among those of the system; undefined when there is none, and then it says which tests are skipped. */
export function findProgram(name: string): string | undefined {
  const file = fileOf(name);
  if (file === undefined && !told.has(name)) {
    told.add(name);
    process.stderr.write(`The tests of deploy/ by ${name} are skipped: apt-get install ${PACKAGES[name] ?? name}.\n`);
  }
  return file;
}

function fileOf(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
