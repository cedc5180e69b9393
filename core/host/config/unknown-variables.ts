import { didYouMean } from '../../platform/nearest-name.ts';
import type { Problem } from '../../platform/problem.ts';
import { type Flag, variableOf } from './flags.ts';

/** Variables that Node.js itself, npm and the usual images of it read or set. */
const OF_NODE =
  /^NODE_(OPTIONS|ENV|PATH|HOME|VERSION|DEBUG\w*|NO_WARNINGS|EXTRA_CA_CERTS|ICU_DATA|TLS_\w+|V8_COVERAGE|COMPILE_CACHE\w*|DISABLE_\w+|PENDING_\w+|PRESERVE_\w+|REDIRECT_\w+|REPL_\w+|SKIP_\w+|TEST_\w+|UNIQUE_ID|CHANNEL_\w+|CLUSTER_\w+|USE_\w+)$/;

export function isVariableOfNode(name: string): boolean {
  return OF_NODE.test(name);
}

/** Variables with our prefix that nothing reads: one that was misspelt would be ignored in silence. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>, flags: readonly Flag[]): Problem[] {
  const known = flags.map(variableOf);
  const names = Object.keys(env).filter((name) => name.startsWith('NODE_') && !known.includes(name));
  return names
    .filter((name) => !isVariableOfNode(name))
    .map((name) => ({ where: name, what: `is no variable of a node and has no effect${didYouMean(name, known)}` }));
}
