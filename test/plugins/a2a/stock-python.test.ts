import assert from 'node:assert/strict';
import { join } from 'node:path';
import { run } from '../../../conformance/provide/command.ts';
import { isInstalled, pythonEnvironment } from '../../../conformance/provide/python.ts';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { worksAt } from './support/worker.ts';

const TOKEN = 'a-token-of-ada-123';
const GIVE = join(packageRoot, 'conformance', 'a2a-sdk', 'give.py');
/** The suite asks no registry but that of npm unless it is told to. */
const TAKES_PYPI = process.env.MESH_TEST_PYPI === '1';
const SKILL = { id: 'haiku', name: 'Haiku', description: 'Writes a haiku.', tags: ['poetry'] };

describe('the stock client of PyPI, a2a-sdk, gives tasks to the agent of a node', function () {
  this.timeout(60_000);
  let mesh: Mesh<'bob'>;
  let ended: () => Promise<void>;
  let python: string;
  before(async function () {
    this.timeout(600_000);
    try {
      if (!TAKES_PYPI && !isInstalled('a2a')) throw new Error('set MESH_TEST_PYPI=1 to have it installed, 80 MB');
      python = join(await pythonEnvironment('a2a'), 'bin', 'python');
    } catch (error) {
      process.stderr.write(`NOT TESTED: a2a-sdk of PyPI: ${(error as Error).message}\n`);
      return this.skip();
    }
    const a2a = { clients: [{ name: 'ada', token: TOKEN }], skills: [SKILL] };
    mesh = await startMesh({ nodes: ['bob'], plugins: { bob: [a2aPlugin] }, own: { bob: { plugins: { a2a } } } });
    ended = worksAt(mesh.nodes.bob);
  });
  after(async () => {
    await ended?.();
    await mesh?.stop();
  });

  async function gives(binding: string, words: string): Promise<any> {
    const { url, id } = mesh.nodes.bob;
    const input = JSON.stringify({ token: TOKEN, words });
    const { code, out, err } = await run(python, ['-B', GIVE, `${url}/a2a/${id}`, binding], { input });
    assert.equal(code, 0, err);
    return JSON.parse(out);
  }

  for (const binding of ['JSONRPC', 'HTTP+JSON']) {
    it(`over ${binding}: it checks the card, follows the task to its end and reads the work`, async () => {
      const { name, keys, states, work, task, listed } = await gives(binding, 'Write a haiku.');
      assert.deepEqual([name, keys], ['bob', [`${mesh.nodes.bob.url}/.well-known/jwks.json`]]);
      assert.equal(states.at(-1), 'TASK_STATE_COMPLETED');
      assert.deepEqual(work, ['Done: Write a haiku.']);
      assert.deepEqual(task, { id: task.id, state: 'TASK_STATE_COMPLETED', work });
      assert.deepEqual(listed, [task.id]);
      assert.equal((await mesh.nodes.bob.client.deal(task.id)).state, 'settled');
    });

    it(`over ${binding}: it sees a refusal as the end of the task`, async () => {
      const { states, work, task } = await gives(binding, 'no poem, please');
      assert.deepEqual([states.at(-1), task.state, work], ['TASK_STATE_REJECTED', 'TASK_STATE_REJECTED', []]);
    });
  }
});
