/**
 * One phase of the ingest bench: `<adapter> <folder> <redis url> <reports>`. Tells an aggregator in another process
 * what nodes report, and in turns verifies the same signatures here, on one thread and with nothing else to do.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Agent, request } from 'node:http';
import { CborWriter } from '../../core/envelopes/cbor-writer.ts';
import { agentsOf, beaconsOf, dealsOf, type Report } from '../support/agents.ts';
import { startAggregator } from '../support/child.ts';

export interface Ingested {
  /** Milliseconds by the clock for all reports that were measured, and processor time of the aggregator. */
  readonly took: number;
  readonly cpu: number;
  /** Milliseconds for verifying the same by `crypto.verify`, and processor time. */
  readonly bare: number;
  readonly bare_cpu: number;
  readonly reports: number;
}

const AGENTS = 1_000;
/** Reports in one request, requests under way, reports in one turn. */
const BODY = 256;
const SIDE_BY_SIDE = 4;
const TURN = 2_048;

async function measure(adapter: string, dataDir: string, redis: string, reports: number): Promise<Ingested> {
  const storage = adapter === 'redis' ? { use: 'redis', url: redis, prefix: 'bench' } : { use: adapter };
  const aggregator = await startAggregator({ dataDir, storage });
  const agent = new Agent({ keepAlive: true, maxSockets: SIDE_BY_SIDE });
  const agents = agentsOf(AGENTS);
  await tell(aggregator.url, agent, [...beaconsOf(agents)]);
  const source = dealsOf(agents);
  const sum = { took: 0, cpu: 0, bare: 0, bare_cpu: 0, reports: 0 };
  // The first turns warm up: code is compiled, agents become known.
  for (let turn = -2; sum.reports < reports; turn++) {
    const batch = Array.from({ length: TURN }, () => source.next().value as Report);
    const before = await aggregator.usage();
    const bare = verifyAll(batch);
    const began = performance.now();
    await tell(aggregator.url, agent, batch);
    const took = performance.now() - began;
    const after = await aggregator.usage();
    if (turn < 0) continue;
    sum.took += took;
    sum.cpu += milliseconds(after.cpu) - milliseconds(before.cpu);
    sum.bare += bare.took;
    sum.bare_cpu += bare.cpu;
    sum.reports += batch.length;
  }
  agent.destroy();
  await aggregator.stop();
  return sum;
}

const keys = new Map<string, KeyObject>();

function verifyAll(reports: readonly Report[]): { took: number; cpu: number } {
  const ready = reports.map(({ key }) => keyOf(key));
  const began = performance.now();
  const cpu = process.cpuUsage();
  for (const [i, { message, signature }] of reports.entries()) {
    if (!verify(null, message, ready[i]!, signature)) throw new Error('a signature is wrong');
  }
  return { took: performance.now() - began, cpu: milliseconds(process.cpuUsage(cpu)) };
}

function keyOf(key: Uint8Array): KeyObject {
  const x = Buffer.from(key).toString('base64url');
  const known = keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  keys.set(x, known);
  return known;
}

async function tell(url: string, agent: Agent, reports: readonly Report[]): Promise<void> {
  const bodies: Buffer[] = [];
  for (let at = 0; at < reports.length; at += BODY) bodies.push(bodyOf(reports.slice(at, at + BODY)));
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let body = bodies.shift(); body; body = bodies.shift()) await post(url, agent, body);
    }),
  );
}

function bodyOf(reports: readonly Report[]): Buffer {
  const writer = new CborWriter(4_096);
  writer.array(reports.length);
  for (const { bytes } of reports) writer.bytes(bytes);
  return Buffer.from(writer.finish());
}

function post(url: string, agent: Agent, body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/cbor', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/ingest/envelopes`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} ${text}`));
        const refused = JSON.parse(text).results.find(({ status }: { status: string }) => status !== 'accepted');
        if (refused) reject(new Error(JSON.stringify(refused)));
        else resolve();
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

const [, , adapter = '', folder = '', redis = '', reports = '0'] = process.argv;
process.stdout.write(JSON.stringify(await measure(adapter, folder, redis, Number(reports))));
