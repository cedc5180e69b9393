/** `visits <rounds> [names]`: opens every page, or those of these names, with an empty cache and a processor four times slower, on a phone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { gzipSync } from 'node:zlib';
import bs58 from 'bs58';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { TestAgent } from '../../test/aggregator/support/agent.ts';
import { Browser, findChromium, type Page } from '../../test/plugins/explorer/support/browser.ts';
import { Hands } from '../../test/plugins/explorer/support/hands.ts';
import { accepted, proposed } from '../../test/support/deals.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { median } from '../framework/median.ts';

/** One page, in milliseconds from the start of the navigation and in packed bytes before the first figure. */
export interface Visited {
  readonly name: string;
  readonly ms: number;
  /** Milliseconds in which the page's own thread, slowed as well, had a processor: what other load leaves alone. */
  readonly cpu: number;
  readonly files: number;
  readonly data: number;
  readonly requests: number;
  /** Processes that wanted a processor, of the last minute: more than there are processors make every page late. */
  readonly load: number;
}

const SLOWER = 4;
const AGENTS = 200;
/** A fact of the server: a figure, a row, a value, or the sentence that there is none. */
const FACT = 'main dd, main td, main .empty, main .chain li, main .feed li, main .say';
const PATIENCE = 60_000;

interface Visit {
  readonly name: string;
  readonly url: string;
  /** The first figure, where it is none of those every page has. */
  readonly fact?: string;
}

const usdc = { ann: '100', ben: '100' };
const mesh = await startMesh({ nodes: ['ann', 'ben'], usdc, storage: 'lowdb' });
const browser = await Browser.start(findChromium()!);
const plain = await plainPage();
try {
  const [node, aggregator] = [mesh.nodes.ann, mesh.aggregatorNode.url];
  const { conversation, letter, epoch } = await fill();
  const visits: Visit[] = [
    // The part of the machine: one small document, without a script or a style.
    { name: 'plain', url: plain.url, fact: 'main dd' },
    ...[
      ['home', '', '.figures dd'],
      ['agents', 'agents'],
      ['agent', `agents/${mesh.nodes.ben.id}`, '.score, main dd'],
      ['conversation', `conversations/${conversation}`, 'main .sum, .chain li'],
      ['receipts', `receipts?agent=${node.id}&epoch=${epoch}`],
      ['flows', 'flows'],
      ['ledger', 'ledger'],
      ['analytics', 'analytics'],
      ['bounties', 'bounties'],
      ['campaigns', 'campaigns'],
      ['hosts', 'hosts'],
      ['owner', `owners/${node.id}`],
      ['search', 'search?q=ben', 'main li, main td, main .empty'],
      ['docs', 'docs', 'main .docs h1'],
      ['docs_guide', 'docs/agents', 'main .prose h1'],
      ['docs_group', 'docs/api-agents', 'main .operation'],
      ['docs_search', 'docs?q=leaderboard', 'main li a'],
    ].map(([name, path, fact]) => ({ name: name!, url: `${aggregator}/${path}`, ...(fact && { fact }) })),
    { name: 'guest', url: `${node.url}/` },
    ...[
      ['console', '', '.figures dd'],
      ['deals', 'deals', '[data-deal]'],
      ['deal', `deals/${conversation}`],
      ['offer', 'deals/new', 'main form input'],
      ['inbox', 'inbox', '.feed li'],
      ['inspect', 'inspect', 'main h1'],
      ['envelope', `envelopes/${letter}`],
      ['compose', 'compose', 'main form input'],
      ['wallet', 'wallet'],
      ['stake', 'stake'],
      ['peers', 'peers'],
      ['peer', `agents/${mesh.nodes.ben.id}`],
      ['hosted', 'hosted'],
      ['plugins', 'plugins'],
      ['settings', 'settings'],
    ].map(([name, path, fact]) => ({ name: `console_${name}`, url: `${node.url}/${path}`, ...(fact && { fact }) })),
  ];
  const found: Visited[] = [];
  const [count = '1', names] = process.argv.slice(2);
  for (const visit of visits) {
    if (names && !names.split(',').includes(visit.name)) continue;
    const secret = visit.name.startsWith('console_') ? node.secret : undefined;
    const rounds: Visited[] = [];
    for (let round = 0; round < Number(count); round += 1) rounds.push(await visited(visit, secret));
    process.stderr.write(`  ${visit.name} `);
    found.push({
      ...rounds[0]!,
      ms: median(rounds.map(({ ms }) => ms)),
      cpu: median(rounds.map(({ cpu }) => cpu)),
    });
  }
  console.log(JSON.stringify(found));
} finally {
  plain.close();
  await browser.stop();
  await mesh.stop();
}

async function plainPage() {
  const text = '<!doctype html><title>plain</title><main><dl><dt>Agents</dt><dd>9</dd></dl></main>';
  const server = createServer((_, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

/** Two settled deals and a dozen that wait, letters, and a mesh of some hundred agents. */
async function fill() {
  const { ann, ben } = mesh.nodes;
  let conversation = '';
  for (let deal = 0; deal < 2; deal += 1) {
    conversation = await accepted(ann, ben);
    await ann.client.lock(conversation);
    await ben.dealWhen(conversation, ({ escrow }) => escrow?.locked_at !== undefined);
    await ben.client.deliver({ conversation_id: conversation, content: 'three', content_type: 'text/plain' });
    await ann.dealWhen(conversation, 'delivered');
    await ann.client.escrow('approve', { conversation_id: conversation });
    await ann.dealWhen(conversation, 'settled');
    await ann.client.feedback({ conversation_id: conversation, score: 90 });
  }
  for (let deal = 0; deal < 12; deal += 1) await proposed(ben, ann);
  await others();
  const { frames } = (await ann.get('/inbox')).body;
  return { conversation, letter: frames[0].envelope_id, epoch: Math.floor(Date.now() / 86_400_000) };
}

async function others(): Promise<void> {
  const answer = await fetch(`${mesh.aggregatorNode.url}/network`);
  const { network_id: name, ...parts } = (await answer.json()) as Record<string, string>;
  const [genesisHash, programId, configAddress] = ['genesis_hash', 'program', 'config'].map((part) =>
    bs58.decode(parts[part]!),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  const network = defineNetwork({ name: name!, genesisHash, programId, configAddress });
  const agents = Array.from({ length: AGENTS }, (_, n) => new TestAgent(`visited ${n}`, Date.now, network));
  const items = agents.map((agent, n) => agent.beacon(`agent ${n}`).whole);
  const told = await fetch(`${mesh.aggregatorNode.url}/ingest/envelopes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  });
  const { results } = (await told.json()) as { results: { status: string }[] };
  if (results.some(({ status }) => status !== 'accepted')) throw new Error(JSON.stringify(results));
}

async function visited({ name, url, fact = FACT }: Visit, secret: string | undefined): Promise<Visited> {
  const page = await browser.page();
  try {
    await page.look({ width: 360, height: 740 });
    if (secret !== undefined) await new Hands(page).enters(mesh.nodes.ann.url, secret);
    await page.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching(fact) });
    await page.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.send('Performance.enable', { timeDomain: 'threadTicks' });
    const before = await busy(page);
    await page.send('Page.navigate', { url });
    await page.until('window.figureAt !== undefined', PATIENCE);
    const after = await busy(page);
    const ms = await page.run<number>('window.figureAt');
    await page.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    const cpu = (after < before ? after : after - before) * 1_000;
    return { name, ms, cpu, load: loadavg()[0] ?? 0, ...(await loadedBy(page, url, secret)) };
  } finally {
    await page.close();
  }
}

/** Seconds of a processor that the thread of the page has had; a navigation may begin anew. */
async function busy(page: Page): Promise<number> {
  const { metrics } = await page.send('Performance.getMetrics', {});
  return metrics.find(({ name }: { name: string }) => name === 'TaskDuration').value;
}

/** Remembers the first frame after a fact has come. In a document that was sent without its facts nothing is one. */
function watching(fact: string): string {
  return `(() => {
    const isFact = (one) => !one.closest('[data-facts=""], [data-facts="[]"]');
    const look = () => {
      if (window.figureSeen || ![...document.querySelectorAll(${JSON.stringify(fact)})].some(isFact)) return;
      window.figureSeen = true;
      requestAnimationFrame(() => requestAnimationFrame(() => { window.figureAt = performance.now(); }));
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  })()`;
}

/** The bytes that the page had by then, packed as a proxy in front would send them. */
async function loadedBy(
  page: Page,
  url: string,
  secret: string | undefined,
): Promise<Omit<Visited, 'name' | 'ms' | 'cpu' | 'load'>> {
  const names = await page.run<string[]>(
    "performance.getEntriesByType('resource').filter(({ responseEnd }) => responseEnd <= window.figureAt).map(({ name }) => name)",
  );
  const asked = names.filter((name) => name.startsWith('http'));
  let [files, data] = [await packed(url, { accept: 'text/html' }), 0];
  for (const name of asked) {
    const isFile = new URL(name).pathname.startsWith('/explorer/');
    const size = await packed(name, secret === undefined ? {} : { authorization: `Bearer ${secret}` });
    if (isFile) files += size;
    else data += size;
  }
  return { files, data, requests: asked.length + 1 };
}

async function packed(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, { headers: { accept: 'application/json', ...headers } });
  return gzipSync(Buffer.from(await answer.arrayBuffer())).length;
}
