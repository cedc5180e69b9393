import { framesOf, javascriptOf } from './javascript.ts';
import { apiOf } from './operations.ts';
import { pythonOf } from './python.ts';

/** The generated files of both clients, by their path in the package. */
export async function clientFiles(): Promise<ReadonlyMap<string, string>> {
  const node = apiOf('node');
  const aggregator = apiOf('aggregator');
  return new Map([
    ['core/client/generated/node.ts', await javascriptOf('node', node)],
    ['core/client/generated/aggregator.ts', await javascriptOf('aggregator', aggregator)],
    ['core/client/generated/frames.ts', framesOf(node)],
    ['clients/python/agent_mesh.py', pythonOf({ node, aggregator })],
  ]);
}
