// The process that started this one and the parent of that, read before anything else: a parent that ends while a node
// boots is missed by whoever looks for the first time afterwards. Between npm and us there can be a shell, which ends
// neither with npm nor before us; so its parent is watched too, where the system tells it. The parent of npm itself is
// not: who logs out leaves npm running.
import { readFileSync, readlinkSync } from 'node:fs';

const parent = process.ppid;
const grandparent = isNode(parent) ? undefined : parentOf(parent);

/** True once the npm that started this process has ended, or the shell between. */
export function isOrphan() {
  return process.ppid !== parent || (grandparent !== undefined && parentOf(parent) !== grandparent);
}

/** Whether a process runs Node, as npm does. */
function isNode(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === readlinkSync('/proc/self/exe');
  } catch {
    return false;
  }
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
