/**
 * `<ms> <rounds>`: a node answers the same question at three doors, in turns: its deals over the plain API and by the MCP tool `deals`, one
 * deal over the plain API and as the task that A2A shows. The client runs in the same process, so that each figure has its cost too.
 */
import { Agent, request } from 'node:http';
import { a2aPlugin } from '../../plugins/a2a/index.ts';
import { mcpPlugin } from '../../plugins/mcp/index.ts';
import { worksAt } from '../../test/plugins/a2a/support/worker.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { median } from '../framework/median.ts';
import { warmUp } from '../framework/warm.ts';

/** Answers a second. */
export interface Calls {
  readonly mcp: number;
  readonly deals: number;
  readonly a2a: number;
  readonly deal: number;
}

interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const AT_ONCE = 8;
const TOKEN = 'the-token-of-the-bench';
const REVISION = '2026-07-28';

const [ms, rounds] = process.argv.slice(2).map(Number) as [number, number];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const mesh = await startMesh({
  nodes: ['ada'],
  plugins: { ada: [mcpPlugin, a2aPlugin] },
  settings: { api: { unlimited: ['127.0.0.1'] } },
  own: { ada: { plugins: { mcp: {}, a2a: { clients: [{ name: 'bench', token: TOKEN }] } } } },
});
const { ada } = mesh.nodes;
const end = worksAt(ada);
try {
  const json = { 'content-type': 'application/json' };
  const owner = { authorization: `Bearer ${ada.secret}` };
  const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const task = (method: string, params: object): Call => ({
    path: `/a2a/${ada.id}`,
    headers: { ...json, authorization: `Bearer ${TOKEN}`, 'a2a-version': '1.0' },
    body: rpc(method, params),
  });
  const message = { messageId: 'bench', role: 'ROLE_USER', parts: [{ text: 'Count the words.' }] };
  const { id } = JSON.parse(await answerTo(task('SendMessage', { message }))).result.task as { readonly id: string };
  await end();

  const meta = {
    [`io.modelcontextprotocol/protocolVersion`]: REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const calls: Readonly<Record<keyof Calls, Call>> = {
    mcp: {
      path: '/mcp',
      headers: {
        ...{ ...json, ...owner, accept: 'application/json, text/event-stream' },
        ...{ 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'deals' },
      },
      body: rpc('tools/call', { name: 'deals', arguments: { limit: 1 }, _meta: meta }),
    },
    deals: { path: '/deals?limit=1', headers: owner },
    a2a: task('GetTask', { id }),
    deal: { path: `/deals/${id}`, headers: owner },
  };
  // Each shows the deal, so that none is quick because it refuses.
  for (const [door, call] of Object.entries(calls)) {
    const text = await answerTo(call);
    if (!text.includes(id)) throw new Error(`${door} does not show the deal: ${text.slice(0, 500)}`);
  }
  const doors = Object.keys(calls) as (keyof Calls)[];
  await warmUp(
    doors.map((door) => () => answersPerSecond(calls[door])),
    { least: 3, most: 6 },
  );
  const found: Record<keyof Calls, number[]> = { mcp: [], deals: [], a2a: [], deal: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const door of doors) found[door].push(await answersPerSecond(calls[door]));
  const of = (door: keyof Calls) => median(found[door]);
  const calculated: Calls = { mcp: of('mcp'), deals: of('deals'), a2a: of('a2a'), deal: of('deal') };
  process.stdout.write(JSON.stringify(calculated));
} finally {
  agent.destroy();
  await mesh.stop();
}

async function answersPerSecond(call: Call): Promise<number> {
  const began = performance.now();
  let answers = 0;
  const one = async () => {
    while (performance.now() - began < ms) {
      await answerTo(call);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return (answers * 1_000) / (performance.now() - began);
}

function answerTo({ path, headers, body }: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${ada.url}${path}`,
      { agent, headers, method: body === undefined ? 'GET' : 'POST' },
      (got) => {
        let text = '';
        got.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        got.on('error', reject);
        got.on('end', () =>
          got.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${got.statusCode} ${text}`)),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
