import assert from 'node:assert/strict';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { type TestNodeOptions, testNode } from './node.ts';

/** Boots what must not boot, and gives the reasons. */
export async function bootFailure(options: TestNodeOptions): Promise<BootError> {
  const error = await testNode(options).then(
    async (node) => {
      await node.stop();
      throw new Error('it booted');
    },
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof BootError, String(error));
  return error;
}
