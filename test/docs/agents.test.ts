import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../../bin/bundle.js';
import { packageRoot } from '../../core/platform/package-root.ts';
import { hasPython } from '../client/support/python.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

const page = readFileSync(join(packageRoot, 'docs/agents.md'), 'utf8');
/** Most lines of a program, without its name. */
const MOST = { hire: 20, sell: 30 };

/** The program of the page whose first line is its name. */
function program(name: string): string {
  const [, text] =
    new RegExp(`\`\`\`(?:js|python)\n(?://|#) ${name.replace('.', '\\.')}\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  assert.ok(text, name);
  return text;
}

describe('the programs of docs/agents.md', function () {
  this.timeout(180_000);
  let mesh: Mesh<'seller' | 'buyer'>;
  let folder: string;
  const running = new Set<ChildProcess>();
  before(async () => {
    mesh = await startMesh({ nodes: ['seller', 'buyer'], usdc: { buyer: '100' } });
    // As in a folder of a user, with the package installed.
    folder = await mkdtemp(join(packageRoot, 'dist-docs-'));
    const installed = join(folder, 'node_modules/agent-mesh');
    await mkdir(installed, { recursive: true });
    await bundle(['core/client/index.ts'], join(installed, 'dist'));
    const { exports } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    await writeFile(join(installed, 'package.json'), JSON.stringify({ name: 'agent-mesh', type: 'module', exports }));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await copyFile(join(packageRoot, 'clients/python/agent_mesh.py'), join(folder, 'agent_mesh.py'));
    for (const name of ['hire.js', 'sell.js', 'hire.py', 'sell.py']) await writeFile(join(folder, name), program(name));
  });
  after(async () => {
    for (const child of running) child.kill();
    await mesh.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function start(file: string, as: 'seller' | 'buyer', ...args: string[]) {
    const { url, secret } = mesh.nodes[as];
    const env = { ...process.env, MESH_NODE: url, MESH_SECRET: secret, MESH_HUB: mesh.aggregatorNode.url };
    const [command, ...flags] = file.endsWith('.py') ? ['python3', '-B', '-u'] : [process.execPath];
    const child = spawn(command!, [...flags, file, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
      child.on('close', (code) => {
        running.delete(child);
        resolve({ code, stdout, stderr });
      }),
    );
    return { child, ended };
  }

  for (const [name, most] of Object.entries(MOST)) {
    it(`${name} in at most ${most} lines`, () => {
      for (const end of ['js', 'py']) {
        const lines = program(`${name}.${end}`).trimEnd().split('\n').length;
        assert.ok(lines <= most, `${name}.${end} has ${lines} lines`);
      }
    });
  }

  it('say so when nobody sells', async () => {
    for (const buyer of hasPython() ? ['hire.js', 'hire.py'] : ['hire.js']) {
      const { code, stderr } = await start(buyer, 'buyer').ended;
      assert.equal(code, 1, buyer);
      assert.match(stderr, /no agent offers echo; start sell\./);
    }
  });

  for (const [seller, buyer] of [
    ['sell.js', 'hire.js'],
    ['sell.js', 'hire.py'],
    ['sell.py', 'hire.js'],
  ] as const) {
    it(`settle a deal between ${seller} and ${buyer}`, async function () {
      if (`${seller}${buyer}`.includes('.py') && !hasPython()) {
        process.stderr.write(`NOT TESTED: ${seller} with ${buyer}, because this machine has no python3\n`);
        this.skip();
      }
      const before = (await mesh.nodes.seller.client.deals({ state: 'settled' })).deals.length;
      const selling = start(seller, 'seller');
      await happens('the seller is known', async () =>
        (await mesh.aggregator.agents({ capability: 'echo' })).length > 0 ? true : undefined,
      );
      const text = 'Grüße über das Netz 🕸';
      const { code, stdout, stderr } = await start(buyer, 'buyer', text).ended;
      assert.deepEqual([code, stdout, stderr], [0, `You said: ${text}\n`, '']);
      await happens('the deal is settled for its seller', async () => {
        const { deals } = await mesh.nodes.seller.client.deals({ state: 'settled' });
        return deals.length === before + 1 || undefined;
      });
      selling.child.kill();
      const end = await selling.ended;
      assert.deepEqual([end.stdout, end.stderr], ['', '']);
    });
  }

  it('are begun by the lines that the explorer shows beside an agent', async () => {
    const { hireLines } = await import(pathToFileURL(join(packageRoot, 'plugins/explorer/public/agent/hire.js')).href);
    const { buyer, seller } = mesh.nodes;
    for (const [name, lines] of hireLines(seller.id) as [string, string][]) {
      if (name === 'Python' && !hasPython()) continue;
      const own = lines.replaceAll('http://localhost:9090', buyer.url).replaceAll('localhost:9090', buyer.url);
      const [command, file] = {
        curl: ['sh', 'line.sh'],
        Python: ['python3', 'line.py'],
        JavaScript: ['node', 'line.js'],
      }[name]!;
      await writeFile(join(folder, file!), own);
      const env = { ...process.env, SECRET: buyer.secret };
      const { stdout, stderr } = await promisify(execFile)(command!, [file!], { cwd: folder, env });
      const conversation = /\b[0-9a-f]{32}\b/.exec(stdout)?.[0];
      assert.ok(conversation, `${name}: ${stdout} ${stderr}`);
      const deal = await seller.dealWhen(conversation, 'proposed');
      assert.equal(deal.amount_usdc, '1', name);
    }
  });

  it('sign for an aggregator as the agent that they are', async () => {
    const [, block] = /```js\n(import [^`]*agentKey[\s\S]*?)```/.exec(page) ?? [];
    const given = [
      `import { readFileSync } from 'node:fs';`,
      `const seed = new Uint8Array(readFileSync(${JSON.stringify(join(mesh.folder, 'buyer/identity.key'))}));`,
      `const url = ${JSON.stringify(mesh.aggregatorNode.url)};`,
      'const signedElsewhere = (bytes) => new Uint8Array(64).fill(bytes.length);',
    ];
    const seen = "const request = { audience: url, method: 'GET', target: '/', body: new Uint8Array() };";
    const last = `${seen}\nconsole.log(agentId, (await device(request)).split('.').length);`;
    await writeFile(join(folder, 'token.js'), [...given, block, last].join('\n'));
    assert.deepEqual(await start('token.js', 'buyer').ended, {
      code: 0,
      stdout: `${mesh.nodes.buyer.id} 3\n`,
      stderr: '',
    });
    assert.equal((await mesh.aggregator.isSleeping(mesh.nodes.buyer.id)).sleeping, true);
  });

  it('refuse an offer below the price', async () => {
    const selling = start('sell.js', 'seller');
    const { conversation_id } = await mesh.nodes.buyer.client.propose({
      recipient: mesh.nodes.seller.id,
      amount_usdc: '0.1',
      message: 'Cheap?',
    });
    const deal = await mesh.nodes.buyer.dealWhen(conversation_id, 'rejected');
    assert.equal(deal.state, 'rejected');
    selling.child.kill();
    await selling.ended;
  });
});
