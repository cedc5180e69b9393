/**
 * `<rounds> <calls>`: buyers with payments that were signed before call a route that is sold, sixteen at a time; in turns with as many
 * calls of the same route unguarded, and ten times as many calls without a payment. The first round warms up.
 * Localnet and node, which keeps its store on disk, share this process.
 */
import { Keypair } from '@solana/web3.js';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { connect, disconnect } from '../../test/localnet/cluster.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { ShiftedClock } from '../../test/support/shifted-clock.ts';
import { offerOf, paymentFor } from '../../test/support/x402-payment.ts';
import { median } from '../framework/median.ts';
import { sideBySide } from '../framework/side-by-side.ts';

export interface Sold {
  /** Per second. */
  readonly sold: number;
  readonly offers: number;
  readonly open: number;
  /** Milliseconds of a sold call; the median. */
  readonly wait: number;
}

const AT_ONCE = 16;
const MORE = 10;
const MINUTE = 60_000;

const Tide = typed<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  examples: [{ city: 'Bern' }],
});
const limit = { per: 'ip', rate: 1_000_000, window: 1 } as const;
const shop = definePlugin({
  name: 'shop',
  api: '2.2',
  node: {
    routes: {
      sold: route('GET /sold', { auth: 'x402', price: '0.01', reply: Tide, limit }),
      open: route('GET /open', { auth: 'open', reply: Tide, limit }),
    },
    setup: () => ({ routes: { sold: () => ({ city: 'Bern' }), open: () => ({ city: 'Bern' }) } }),
  },
});

const [rounds, calls] = process.argv.slice(2).map(Number) as [number, number];
const clock = new ShiftedClock();
const mesh = await startMesh({
  nodes: ['seller'],
  storage: 'lowdb',
  usdc: { seller: '1' },
  clocks: { seller: clock },
  plugins: { seller: [shop] },
  own: { seller: { core: { wallet: { maxSaleFeesPerDay: '100' } } } },
});
const connection = connect(mesh.localnet.url);
try {
  const { seller } = mesh.nodes;
  const payer = Keypair.generate();
  await mesh.localnet.faucet.usdc(payer.publicKey.toBase58(), 1_000_000_000n);
  const offer = offerOf(await fetch(`${seller.url}/sold`));
  const waits: number[] = [];
  const took = { sold: 0, open: 0, offers: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    // An address has 120 payments a minute.
    clock.shift(MINUTE);
    const { blockhash } = await connection.getLatestBlockhash();
    const payments = await Promise.all(
      Array.from({ length: calls }, () => paymentFor(offer, connection, { payer, blockhash })),
    );
    const own: number[] = [];
    const sold = await sideBySide(calls, AT_ONCE, async (index) => {
      const began = performance.now();
      await answered(`${seller.url}/sold`, 200, payments[index]);
      own.push(performance.now() - began);
    });
    const open = await sideBySide(MORE * calls, AT_ONCE, () => answered(`${seller.url}/open`, 200));
    const offers = await sideBySide(MORE * calls, AT_ONCE, () => answered(`${seller.url}/sold`, 402));
    if (round === 0) continue;
    waits.push(...own);
    took.sold += sold;
    took.open += open;
    took.offers += offers;
  }
  const perSecond = (count: number, ms: number) => (1_000 * rounds * count) / ms;
  const found: Sold = {
    sold: perSecond(calls, took.sold),
    open: perSecond(MORE * calls, took.open),
    offers: perSecond(MORE * calls, took.offers),
    wait: median(waits),
  };
  process.stdout.write(JSON.stringify(found));
} finally {
  disconnect(connection);
  await mesh.stop();
}

async function answered(url: string, status: number, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${text.slice(-500)}`);
}
