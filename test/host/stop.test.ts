import assert from 'node:assert/strict';
import { definePlugin, type Plugin, route, stream, typed } from '../../core/plugin.ts';
import { eventually } from '../support/eventually.ts';
import { impatient } from '../support/impatient.ts';
import { testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';

const Text = typed<{ text: string }>({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });

describe('a node that stops', () => {
  it('stops faces in reverse order, reports what fails, and does not wait for ever', async () => {
    const events: string[] = [];
    const face = (name: string, stop: () => unknown): Plugin =>
      definePlugin({
        name,
        api: '2.0',
        node: {
          setup: (_, { defer }) => {
            defer(() => events.push(`${name} closed`));
            return { stop: stop as () => void };
          },
        },
      });
    const node = await testNode({
      clock: impatient,
      plugins: [
        face('one', () => events.push('one stopped')),
        face('two', () => new Promise(() => {})),
        face('three', () => {
          throw new Error('stuck');
        }),
      ],
    });
    const problems = await node.stop();
    assert.deepEqual(events, ['three closed', 'two closed', 'one stopped', 'one closed']);
    assert.match(problems[0]?.what ?? '', /^stop failed: stuck at .*stop\.test\.ts:\d+:\d+$/);
    assert.deepEqual(problems, [
      { where: 'three', what: problems[0]?.what },
      { where: 'two', what: 'stop failed: it did not finish within 5 seconds' },
    ]);
  });

  it('stops what runs: jobs, calls and sockets, and a second stop waits for the first', async () => {
    const events: string[] = [];
    let waiting = false;
    const busy = definePlugin({
      name: 'busy',
      api: '2.0',
      node: {
        routes: {
          wait: route('GET /wait', { auth: 'open', reply: Text }),
          watch: stream('/ws/watch', { auth: 'open', frame: Text }),
        },
        setup: () => ({
          routes: {
            async wait({ signal }) {
              waiting = true;
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
              return { text: 'told' };
            },
            async *watch({ signal }) {
              yield { text: 'hello' };
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
              events.push('stream ended');
            },
          },
          jobs: [
            {
              name: 'work',
              every: 5,
              run: (signal) =>
                new Promise((resolve) => {
                  if (events.length === 0) events.push('job began');
                  signal.addEventListener('abort', () => {
                    events.push('job ended');
                    resolve();
                  });
                }),
            },
          ],
        }),
      },
    });
    const node = await testNode({ plugins: [busy], grace: 100 });
    const socket = watch(`${node.url}/ws/watch`);
    await socket.until(1);
    const call = fetch(`${node.url}/wait`);
    await eventually(() => waiting && events.length === 1);
    const began = performance.now();
    const [first, second] = await Promise.all([node.stop(), node.stop()]);
    assert.equal(first, second);
    assert.ok(performance.now() - began < 9_000);
    assert.equal((await socket.closed).code, 1001);
    assert.deepEqual(await (await call).json(), { text: 'told' });
    assert.deepEqual(events, ['job began', 'job ended', 'stream ended']);
    await assert.rejects(fetch(`${node.url}/health`));
  });
});
