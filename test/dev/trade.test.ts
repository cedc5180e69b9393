import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adapters, localnet } from '../../adapters/index.ts';
import { DealWatch } from '../../core/cli/dev/deal-watch.ts';
import { AgentInbox } from '../../core/cli/dev/inbox.ts';
import { type DevMesh, startDevMesh } from '../../core/cli/dev/mesh.ts';
import { Narrator } from '../../core/cli/dev/narrator.ts';
import { runRequester } from '../../core/cli/dev/requester.ts';
import { trade } from '../../core/cli/dev/run.ts';
import { describeTask } from '../../core/cli/dev/task.ts';
import type { Voice } from '../../core/cli/dev/voice.ts';
import { Wakeup } from '../../core/cli/dev/wakeup.ts';
import { runWorker } from '../../core/cli/dev/worker.ts';
import { KEY_FILE } from '../../core/host/backup/manifest.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/mesh-process.ts';

/** Lamports that an owner link costs. */
const ONE_LINK = 1_963_800;

describe('the agents of mesh dev', function () {
  this.timeout(60_000);
  let folder = '';
  let file = '';
  let mesh: DevMesh;
  let stop: AbortController;
  let running: Promise<unknown>[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    const first = await freePort(5);
    mesh = await startDevMesh({
      folder,
      ports: { node: first, aggregator: first + 2, rpc: first + 3 },
      storage: 'files',
      parts: { adapters, plugins, standard },
      startLocalnet: await localnet(),
      log: silentLog,
      signal: new AbortController().signal,
      started: () => {},
    });
  });

  after(async () => {
    await mesh?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    file = join(folder, 'text.txt');
    await writeFile(file, 'one two two\n');
    stop = new AbortController();
    running = [];
  });

  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
  });

  it('have an aggregator that can pay for the links of their owners', async () => {
    const { address } = identityFromSeed(new Uint8Array(await readFile(join(folder, 'aggregator', KEY_FILE))));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [address] });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const { result } = (await (await fetch(mesh.rpcUrl, init)).json()) as any;
    assert.ok(result.value >= ONE_LINK, `${result.value} lamports`);
  });

  it('says why when deals do not settle', async () => {
    const told: string[] = [];
    const narrator = new Narrator(true, (text) => told.push(text), systemClock.now);
    const gone = pathToFileURL(join(folder, 'gone.txt')).href;
    const ended = trade({
      mesh,
      narrator,
      clock: systemClock,
      file: gone,
      deals: 1,
      signal: stop.signal,
      patience: 2_500,
    });
    await assert.rejects(
      ended,
      /^Error: No deal has settled for 2\.5 seconds: the requester could not go on: .*gone\.txt does not exist\.$/,
    );
    const trouble = told.map((line) => JSON.parse(line)).filter(({ event }) => event === 'trouble');
    assert.equal(trouble.length, 1, 'the same trouble is told once');
  });

  it('acknowledge what is over, and keep what a person may still want to read', async () => {
    const { client } = mesh.worker;
    const { conversation_id } = await mesh.requester.client.propose({
      recipient: mesh.worker.agentId,
      amount_usdc: '2',
      message: '{"task":"translation"}',
    });
    const steps = worker();
    await eventually(() => steps.includes(`reject ${conversation_id}`));
    await eventually(async () => !(await frames(client)).includes(conversation_id));
    const asked = requester(60_000);
    await eventually(() => asked.some((step) => step.startsWith('rate ')));
    const kept = await frames(mesh.requester.client);
    assert.ok(kept.includes(conversation_id), 'the requester’s agent leaves alone what it has not begun');
  });

  it('take an offer in the words of a person, and count these', async () => {
    const steps = worker();
    const { client } = mesh.requester;
    const offer = { recipient: mesh.worker.agentId, amount_usdc: '2', message: 'A rose is a rose.' };
    const { conversation_id } = await client.propose(offer);
    await eventually(() => steps.includes(`accept ${conversation_id}`));
    await client.lock(conversation_id);
    await eventually(() => steps.includes(`deliver ${conversation_id}`));
    await eventually(async () => (await client.deal(conversation_id)).allowed_actions.includes('approve'));
    await client.escrow('approve', { conversation_id });
    await client.feedback({ conversation_id, score: 90, outcome: 'positive' });
    await eventually(() => steps.includes(`rate ${conversation_id}`));
  });

  it('dispute wrong counts once, do not pay, and go on with another deal', async () => {
    const before = await requesterUsdc();
    const steps = requester();
    const conversation = await deliverWrongly(steps);
    await eventually(() => steps.filter((step) => step.startsWith('propose')).length === 2);
    assert.deepEqual(
      steps.filter((step) => step.endsWith(conversation)),
      [`propose ${conversation}`, `lock ${conversation}`, `dispute ${conversation}`, `rate ${conversation}`],
    );
    assert.equal((await mesh.worker.client.deal(conversation)).state, 'disputed');
    assert.equal(before - (await requesterUsdc()), 1_500_000n, 'amount and bond stay locked');
    stop.abort();
    await Promise.all(running);
    await rejectOpen();
  });

  it('let a deal lapse whose file has changed, and go on with another', async () => {
    const steps = requester();
    await eventually(() => steps.length === 1);
    await writeFile(file, 'something else\n');
    await eventually(() => steps.filter((step) => step.startsWith('propose')).length === 2);
    assert.match(steps[1]!, /^abandon /);
    stop.abort();
    await Promise.all(running);
    await rejectOpen();
  });

  it('find an old deal behind many newer ones', async () => {
    const { client } = mesh.requester;
    const message = JSON.stringify(await describeTask(pathToFileURL(file).href));
    const made: string[] = [];
    for (let i = 0; i < 52; i++) {
      made.push((await client.propose({ recipient: mesh.worker.agentId, amount_usdc: '2', message })).conversation_id);
    }
    const found = (await new DealWatch(client, () => true).look()).map(({ conversation_id }) => conversation_id);
    assert.deepEqual(found.sort(), made.sort());
  });

  function requester(pause = 100): string[] {
    const steps: string[] = [];
    const { client } = mesh.requester;
    start(client, (inbox, wake) =>
      runRequester(
        {
          node: client,
          inbox,
          find: async () => ({ agent_id: mesh.worker.agentId, name: 'word-counter' }),
          file: pathToFileURL(file).href,
          offer: '1',
          pause,
          now: systemClock.now,
          voice: voice(steps),
          rating: (_, rate) => rate(),
          settled: () => {},
        },
        wake,
      ),
    );
    return steps;
  }

  function worker(): string[] {
    const steps: string[] = [];
    const { client } = mesh.worker;
    start(client, (inbox, wake) => runWorker({ node: client, inbox, price: '1.5', voice: voice(steps) }, wake));
    return steps;
  }

  function start(node: DevMesh['worker']['client'], run: (inbox: AgentInbox, wake: Wakeup) => Promise<void>): void {
    const wake = new Wakeup(systemClock, 200, stop.signal);
    const inbox = new AgentInbox(node, () => wake.ring());
    running.push(inbox.read(stop.signal), run(inbox, wake));
  }

  /** A worker that takes the first offer and delivers nonsense. */
  async function deliverWrongly(steps: readonly string[]): Promise<string> {
    const { client } = mesh.worker;
    const open = async () => (await client.deals({ state: 'proposed' })).deals[0];
    await eventually(async () => (await open()) !== undefined);
    const { conversation_id } = (await open())!;
    await client.accept({ conversation_id });
    await eventually(() => steps.includes(`lock ${conversation_id}`));
    await client.deliver({ conversation_id, content: '{"lines":7}' });
    return conversation_id;
  }

  /** Leaves nothing open for the next test. */
  async function rejectOpen(): Promise<void> {
    for (const { conversation_id } of (await mesh.requester.client.deals({ state: 'proposed' })).deals) {
      await mesh.requester.client.reject({ conversation_id });
    }
  }

  async function requesterUsdc(): Promise<bigint> {
    const { tokens } = await mesh.requester.client.balances();
    return BigInt(tokens.find(({ symbol }) => symbol === 'USDC')!.amount_base);
  }
});

function voice(steps: string[]): Voice {
  return {
    say: (step, _, deal) => void steps.push(`${step} ${deal.conversation_id}`),
    stumble: (error) => void steps.push(`stumble ${error}`),
  };
}

/** The conversations of the frames that were not acknowledged. */
async function frames(node: DevMesh['worker']['client']): Promise<string[]> {
  const found: string[] = [];
  for await (const frame of node.inbox({ signal: AbortSignal.timeout(500) })) found.push(frame.conversation_id);
  return found;
}
