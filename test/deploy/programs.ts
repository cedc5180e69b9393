import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program on the PATH or among those of the system; undefined when there is none, and its tests are skipped. */
export function findProgram(name: string): string | undefined {
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
