import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { run, runOrThrow } from './command.ts';
import { installed } from './folder.ts';

/** The files of a Debian package, unpacked beside the others; nothing is installed on the system. */
export async function debianPackage(name: string): Promise<string> {
  const path = installed('debian');
  const unpacked = join(path, name);
  if (existsSync(unpacked)) return unpacked;
  const download = () => run('apt-get', ['download', name], { cwd: path });
  let answer = await download().catch((error: Error) => {
    throw new Error(`${name} comes from Debian's packages, which this system does not have: ${error.message}`);
  });
  if (answer.code !== 0) {
    await run('apt-get', ['update']);
    answer = await download();
  }
  const archive = readdirSync(path).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  if (answer.code !== 0 || !archive) throw new Error(`apt-get could not download ${name}: ${answer.err.trim()}`);
  await runOrThrow('dpkg', ['-x', join(path, archive), `${unpacked}.part`]);
  renameSync(`${unpacked}.part`, unpacked);
  return unpacked;
}
