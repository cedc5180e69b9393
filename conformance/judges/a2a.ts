import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Resolver, Store } from '../../core/internal-services.ts';
import { systemResolver } from '../../core/platform/address-filter.ts';
import { silentLog } from '../../core/platform/log.ts';
import { value } from '../../core/provider.ts';
import { tasks } from '../../plugins/a2a/tasks/records.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { kitAgent } from '../fixtures/a2a-agent.ts';
import { doorFor } from '../fixtures/a2a-door.ts';
import type { Failure, Findings, Judge } from '../judge.ts';
import { run } from '../provide/command.ts';
import { pythonEnvironment } from '../provide/python.ts';

const TOKEN = 'the-token-of-the-kit';
const SKILL = { id: 'kit', name: 'Kit', description: 'Does what the kit asks for.', tags: ['kit'] };
/** The kit names a receiver there, which a machine without the internet cannot look up; nothing is sent to it. */
const [KIT_RECEIVER, ADDRESS] = ['example.com', '93.184.216.34'];

export const a2a: Judge = {
  name: 'Agent2Agent (a2a)',
  source: 'the Technology Compatibility Kit for 1.0, what must be',
  exceptions: [
    {
      name: 'TestFileArtifact.',
      reason: 'wants a file with a name: a DELIVER has a type and no name, and text comes as text',
    },
    { name: 'TestFileUrlArtifact.', reason: 'wants a file with a name: a DELIVER has an address and no name' },
    {
      name: 'TestMessageResponse.',
      reason: 'wants an agent that answers without a task: the id of a task is the conversation of its deal',
    },
    {
      name: 'TestCamelCaseFieldNames.',
      reason: 'counts the names inside of metadata too: there the terms of a deal have the names of the whole API',
    },
    {
      name: 'test_requirements.test_must_requirement[CORE-SEND-003-',
      reason: 'names no error that it expects, so it wants success where A2A wants CONTENT_TYPE_NOT_SUPPORTED',
    },
    {
      name: 'TestHttpJsonStatusCodes.test_content_type_not_supported',
      reason: 'wants 415 for CONTENT_TYPE_NOT_SUPPORTED: A2A 1.0.1 has 400 in its table of errors',
    },
    ...['TestRestErrorStructure.', 'TestRestFormat.', 'TestAIP193ErrorFormat.test_error_content_type'].map((name) => ({
      name,
      reason: 'wants application/json: A2A 1.0.1 has application/a2a+json, which a client without a wish gets',
    })),
    { name: 'TestAgentCardLastModified.', reason: 'Last-Modified is a MAY; a card has an ETag' },
  ],
  needs: ({ tck }) =>
    tck === undefined
      ? 'the kit is in no registry: git clone --branch 1.0-dev https://github.com/a2aproject/a2a-tck, and give its folder by --tck'
      : undefined,
  async judge({ tck = '' }) {
    const python = join(await pythonEnvironment('tck'), 'bin/python');
    const folder = await mkdtemp(join(tmpdir(), 'mesh-a2a-'));
    const door = await doorFor();
    let node: RunningNode | undefined;
    try {
      node = await startUnderJudgement(folder, door.url);
      door.open({ url: node.url, token: TOKEN });
      const report = join(folder, 'report.xml');
      const args = ['-m', 'pytest', 'tests/compatibility', '-p', 'no:cacheprovider', '-q', '--tb=line'];
      const given = [`--sut-host=${door.url}`, '--transport=jsonrpc,http_json', `--junitxml=${report}`];
      const { out, err, code } = await run(python, [...args, ...given], { cwd: tck });
      const text = await readFile(report, 'utf8').catch(() => {
        throw new Error(`the kit ended with ${code}: ${(err || out).slice(-1_000)}`);
      });
      return findingsOf(text);
    } finally {
      await node?.stop();
      await door.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** A test that the kit itself leaves out, by its reason; left out for another reason, it has not found what it needs. */
const LEFT_OUT = [/grpc/i, /^Agent supports /, /^Agent card does not declare /, /^No requirements at this level/];

function findingsOf(xml: string): Findings {
  let cases = 0;
  const failures: Failure[] = [];
  for (const [, attributes = '', inner = ''] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)) {
    const [, kind, type = '', message = ''] =
      /<(failure|error|skipped)(?: type="([^"]*)")?(?: message="([^"]*)")?/.exec(inner) ?? [];
    const reason = plain(message);
    // The kit marks a SHOULD that is not met as an expected failure.
    if (type === 'pytest.xfail') continue;
    if (kind === 'skipped' && LEFT_OUT.some((one) => one.test(reason))) continue;
    cases += 1;
    const [, group = ''] = /classname="[^"]*?([^".]*)"/.exec(attributes) ?? [];
    const [, test = ''] = /\bname="([^"]*)"/.exec(attributes) ?? [];
    const found = kind === 'skipped' ? `not tried: ${reason}` : reason.replace(/^AssertionError: /, '');
    if (kind !== undefined) failures.push({ name: `${group}.${plain(test)}`, found: found.slice(0, 500) });
  }
  return { cases, failures };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' };

function plain(escaped: string): string {
  return escaped.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** A node with the real plugin, and the kit's agent as its own. */
async function startUnderJudgement(folder: string, publicUrl: string): Promise<RunningNode> {
  let node: RunningNode | undefined;
  const agent = kitAgent(async (conversation) => {
    const record = await node!.get(Store).space('a2a').get(tasks.ref(conversation));
    return record?.message_id ?? '';
  });
  const resolver: Resolver = {
    addresses: async (host) => (host === KIT_RECEIVER ? [ADDRESS] : systemResolver.addresses(host)),
  };
  node = await startNode({
    parts: { adapters, plugins: { ...plugins, [agent.name]: () => agent }, standard },
    providers: [value(Resolver, resolver)],
    log: silentLog,
    grace: 500,
    config: {
      value: {
        profile: 'node',
        listen: '127.0.0.1:0',
        dataDir: folder,
        network: { id: 'local' },
        agent: { name: 'under-judgement' },
        storage: { use: 'memory' },
        mesh: { allowPrivatePeers: true },
        api: { publicUrl, unlimited: ['127.0.0.1'] },
        plugins: {
          a2a: {
            ...{ skills: [SKILL], extendedSkills: [SKILL], clients: [{ name: 'kit', token: TOKEN }] },
            // The kit's receiver is on this machine.
            pushes: { privateAddresses: true },
          },
          [agent.name]: {},
        },
      },
      folder,
    },
  });
  return node;
}
