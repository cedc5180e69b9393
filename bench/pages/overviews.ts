/**
 * `overviews <url> <count> <sockets>`: as many open overviews, each with the reads and, unless `sockets` is 0, the socket that a page has. Says
 * `open` when all show what they show; asked `{ until }`, answers once so many events have come to all together.
 */
import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';

const FIRST = [
  ...['stats/network', 'agents?sort=recent&limit=10', 'ledger/events?limit=100', 'leaderboard?limit=5'],
  ...['stats/timeseries?window=24h&bucket=hour', 'network'],
];
/** Milliseconds between the reads of a page. */
const AGAIN = [
  ['ledger/events?limit=100', 10_000],
  ['stats/network', 30_000],
  ['leaderboard?limit=5', 30_000],
] as const;
const AT_ONCE = 16;

const [url = '', count = '0', withSockets = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
let events = 0;
let reads = 0;
let target = Number.POSITIVE_INFINITY;

function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/${path}`, { agent, headers: { accept: 'application/json' } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        reads += 1;
        // An aggregator without a ledger has no events of one.
        if (answer.statusCode === 200 || answer.statusCode === 404) resolve(Buffer.concat(chunks).toString());
        else reject(new Error(`${path}: ${answer.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

async function openOne(place: number): Promise<void> {
  const [activity] = await Promise.all([get('activity?limit=100'), ...FIRST.map(get)]);
  for (const [path, every] of AGAIN)
    setTimeout(() => setInterval(() => void get(path), every), (every * place) / Number(count));
  if (withSockets === '0') return;
  const since = JSON.parse(activity)[0]?.id ?? 0;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/activity?since=${since}`, { perMessageDeflate: false });
  socket.on('message', took);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
}

function took(): void {
  events += 1;
  look();
}

function look(): void {
  if (events < target) return;
  target = Number.POSITIVE_INFINITY;
  process.send!({ events, reads });
}

process.on('message', (asked: { until: number } | 'reads') => {
  if (asked === 'reads') return process.send!({ events, reads });
  target = asked.until;
  look();
});
process.once('disconnect', () => process.exit());
for (let place = 0; place < Number(count); place += AT_ONCE)
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, Number(count) - place) }, (_, lane) => openOne(place + lane)),
  );
process.send!('open');
