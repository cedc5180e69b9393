// The process that started this one and the parent of that, read before anything else: a parent that ends while a node
// boots is missed by whoever looks for the first time afterwards. Between npm and us there can be a shell, which ends
// neither with npm nor before us; so its parent is watched too, where the system tells it.
import { readFileSync } from 'node:fs';

const parent = process.ppid;
const grandparent = parentOf(parent);

/** True once the process that started this one has ended, or the parent of that. */
export function isOrphan() {
  return process.ppid !== parent || parentOf(parent) !== grandparent;
}

/** The parent of a process; undefined where there is no /proc. */
function parentOf(pid) {
  try {
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}
