import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLow, mebibytes, roomOf } from '../../host/wiring/disk-provider.ts';
import { messageOf } from '../../platform/problem.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether the node can write its data, its secrets are private, and there is room. */
export async function dataFindings(folder: string): Promise<Finding[]> {
  return [...folderFindings(folder), await roomFinding(folder)];
}

function folderFindings(folder: string): Finding[] {
  if (!existsSync(folder)) {
    const parent = nearest(folder);
    return [
      writable(parent)
        ? ok('data', `${folder} will be made`)
        : fail(
            'data',
            `${parent} cannot be written to`,
            'give it to the user of the node, or choose another --data-dir',
          ),
    ];
  }
  if (!statSync(folder).isDirectory()) return [fail('data', `${folder} is no folder`, 'choose another --data-dir')];
  for (const path of [folder, join(folder, 'store')]) {
    if (existsSync(path) && !writable(path))
      return [
        fail('data', `${path} cannot be written to`, 'give it to the user of the node, or make its disk writable'),
      ];
  }
  const open = ['identity.key', 'api-secret'].map((name) => join(folder, name)).filter(isOpen);
  if (open.length === 0) return [ok('data', `${folder} can be written to, and its secrets are private`)];
  return open.map((file) => fail('data', `${file} can be read by others`, `run: chmod 600 ${file}`));
}

async function roomFinding(folder: string): Promise<Finding> {
  try {
    const room = await roomOf(folder);
    const text = `${mebibytes(room.free)} MiB are free on the disk of ${folder}`;
    if (room.free === 0) return fail('disk', text, 'make room: the node takes no calls that write');
    return isLow(room) ? warn('disk', text, 'make room before there is none') : ok('disk', text);
  } catch (error) {
    return fail('disk', `the disk of ${folder} cannot be looked at: ${messageOf(error)}`, 'see that it is mounted');
  }
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

/** Of a file system that is mounted to be read only, the system says so too. */
function writable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOpen(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}
