import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installed } from '../provide/folder.ts';
import type { Subject } from '../subjects.ts';

/** A document that a running profile serves, in a file. */
export async function document({ profile, url }: Subject, name: string): Promise<string> {
  const answer = await fetch(`${url}/${name}`);
  if (answer.status !== 200) throw new Error(`${profile} answers ${answer.status} for /${name}`);
  const file = join(installed('documents'), `${profile}-${name}`);
  await writeFile(file, await answer.text());
  return file;
}
