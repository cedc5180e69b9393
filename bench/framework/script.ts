import { dirname, join } from 'node:path';

/** The compiled file of a script of this folder, such as `fanout/clients.js`, in the build that this process runs from. */
export function scriptFile(name: string): string {
  return join(dirname(process.argv[1]!), '..', name);
}
