import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testNode } from '../../adapters/testing.ts';
import { defineFace, definePlugin } from '../../core/plugin.ts';
import { throughDoor } from '../../plugins/mcp/door.ts';
import { mcpRoute } from '../../plugins/mcp/routes.ts';
import { handlerOf } from '../../plugins/mcp/server.ts';
import { codec, fixtures } from '../fixtures/mcp-fixtures.ts';
import type { Failure, Judge } from '../judge.ts';
import { run } from '../provide/command.ts';
import { npmPackages } from '../provide/npm.ts';

const REVISION = '2026-07-28';

/** The product's own way in, with the suite's tools behind it in place of a node's. */
const judged = definePlugin({
  name: 'judged-mcp',
  api: '2.1',
  node: defineFace({
    routes: { call: mcpRoute('open', { per: 'ip', rate: 1_000_000, window: 60 }) },
    setup(_, { log, defer }) {
      const handler = handlerOf({
        ...{ name: 'judged', version: '1', log, prompts: false, subscribable: true, readables: [] },
        verify: codec.verify,
        tools: [{ name: '', add: (server) => fixtures(server, () => handler.notify) }],
      });
      defer(() => handler.close());
      return {
        routes: {
          call: ({ body, headers, signal }) => throughDoor(handler, { body, headers, principal: 'judge', signal }),
        },
      };
    },
  }),
});

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export const mcp: Judge = {
  name: 'Model Context Protocol',
  source: `the official suite, its scenarios required of servers of ${REVISION}`,
  exceptions: [],
  async judge() {
    const packages = await npmPackages();
    const out = await mkdtemp(join(tmpdir(), 'mesh-mcp-'));
    const node = await testNode(judged);
    try {
      // The suite needs a younger Node than the product does.
      const command = join(packages, `node-${process.platform}-${process.arch}`, 'bin', 'node');
      const suite = join(packages, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
      const url = `${node.url}/mcp`;
      const given = [suite, 'server', '--url', url, '--requirements', REVISION, '-o', out];
      const { out: said, code } = await run(command, given);
      const required = await requiredBy([command, suite]);
      const found = await checksIn(out, required);
      if (found.length === 0) throw new Error(`the suite ended with ${code}: ${said.slice(-500)}`);
      const failures = found
        .filter(({ status }) => status === 'FAILURE')
        .map(({ id, errorMessage = 'failed' }): Failure => ({ name: id, found: errorMessage }));
      return { cases: found.length, failures };
    } finally {
      await node.stop();
      await rm(out, { recursive: true, force: true });
    }
  },
};

/** The scenarios that count; extensions and what is not decided yet are run by the suite too. */
async function requiredBy([command, suite]: readonly [string, string]): Promise<Set<string>> {
  const { out } = await run(command, [suite, 'list', '--requirements', REVISION]);
  const [, servers = ''] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(out) ?? [];
  return new Set([...servers.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name!));
}

/** Every check that the suite wrote down, in a folder `server-SCENARIO-TIME` each. */
async function checksIn(folder: string, required: ReadonlySet<string>): Promise<Check[]> {
  const ran = (await readdir(folder)).map((name) => ({
    name,
    scenario: /^server-(.*?)-\d{4}-\d\d-\d\dT/.exec(name)?.[1],
  }));
  const missing = [...required].filter((one) => !ran.some(({ scenario }) => scenario === one));
  const lists = await Promise.all(
    ran
      .filter(({ scenario }) => scenario !== undefined && required.has(scenario))
      .map(async ({ name, scenario }) => {
        const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[];
        return checks.map((check) => ({ ...check, id: `${scenario}: ${check.id}` }));
      }),
  );
  return [
    ...lists.flat(),
    ...missing.map((one): Check => ({ id: one, status: 'FAILURE', errorMessage: 'the suite did not run it' })),
  ];
}
