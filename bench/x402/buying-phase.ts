/**
 * `<rounds> <payments>`: a node buys at another node's route that is sold, sixteen calls of `POST /wallet/x402/pay` at a time; in turns with as many
 * bare transfers: a stock client signs a transfer of USDC, sends it and polls until it is confirmed. The first round warms up.
 * Localnet and both nodes, which keep their stores on disk, share this process.
 */
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import {
  associatedTokenAddress,
  createAssociatedToken,
  memo,
  transferChecked,
} from '../../adapters/ledger-solana/instructions.ts';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { connect, disconnect } from '../../test/localnet/cluster.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { ShiftedClock } from '../../test/support/shifted-clock.ts';
import { median } from '../framework/median.ts';
import { sideBySide } from '../framework/side-by-side.ts';

export interface Bought {
  /** Per second. */
  readonly bought: number;
  readonly bare: number;
  /** Milliseconds of a payment, with what was bought; the median. */
  readonly wait: number;
}

const AT_ONCE = 16;
const MINUTE = 60_000;
/** Milliseconds from one look at a bare transfer to the next. */
const POLL = 50;

const Tide = typed<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  examples: [{ city: 'Bern' }],
});
const shop = definePlugin({
  name: 'shop',
  api: '2.2',
  node: {
    routes: {
      sold: route('GET /sold', {
        auth: 'x402',
        price: '0.001',
        reply: Tide,
        limit: { per: 'ip', rate: 1_000_000, window: 1 },
      }),
    },
    setup: () => ({ routes: { sold: () => ({ city: 'Bern' }) } }),
  },
});

let transfers = 0;
const [rounds, payments] = process.argv.slice(2).map(Number) as [number, number];
const clock = new ShiftedClock();
const api = { unlimited: ['127.0.0.1'] };
const mesh = await startMesh({
  nodes: ['seller', 'buyer'],
  storage: 'lowdb',
  usdc: { seller: '1', buyer: '500' },
  clocks: { seller: clock, buyer: clock },
  plugins: { seller: [shop] },
  own: {
    seller: { api, core: { wallet: { maxSaleFeesPerDay: '100' } } },
    buyer: { api, core: { money: { maxPerDay: '1000', maxPerPartnerPerDay: '1000', maxX402PerDay: '1000' } } },
  },
});
const connection = connect(mesh.localnet.url);
try {
  const { seller, buyer } = mesh.nodes;
  const payer = Keypair.generate();
  await mesh.localnet.faucet.sol(payer.publicKey.toBase58(), 10_000_000_000n);
  await mesh.localnet.faucet.usdc(payer.publicKey.toBase58(), 1_000_000_000n);
  const mint = new PublicKey(seller.node.get(Ledger).cluster.usdcMint);
  const waits: number[] = [];
  const took = { bought: 0, bare: 0 };
  let made = 0;
  for (let round = 0; round <= rounds; round += 1) {
    // An address has 120 payments a minute.
    clock.shift(MINUTE);
    const own: number[] = [];
    const bought = await sideBySide(payments, AT_ONCE, async () => {
      const began = performance.now();
      const key = { 'idempotency-key': `purchase-${made++}` };
      const { status, body } = await buyer.post('/wallet/x402/pay', { url: `${seller.url}/sold` }, key);
      if (status !== 200 || body.response?.status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      own.push(performance.now() - began);
    });
    const bare = await sideBySide(payments, AT_ONCE, () => transferred(payer, new PublicKey(seller.id), mint));
    if (round === 0) continue;
    waits.push(...own);
    took.bought += bought;
    took.bare += bare;
  }
  const perSecond = (ms: number) => (1_000 * rounds * payments) / ms;
  const found: Bought = { bought: perSecond(took.bought), bare: perSecond(took.bare), wait: median(waits) };
  process.stdout.write(JSON.stringify(found));
} finally {
  disconnect(connection);
  await mesh.stop();
}

/** As many instructions as the node's own transfers have; the memo tells those of one blockhash apart. */
async function transferred(payer: Keypair, to: PublicKey, mint: PublicKey): Promise<void> {
  const owner = payer.publicKey;
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: owner, blockhash, lastValidBlockHeight }).add(
    createAssociatedToken(owner, to, mint),
    transferChecked({
      source: associatedTokenAddress(owner, mint),
      mint,
      destination: associatedTokenAddress(to, mint),
      ...{ owner, amount: 1_000n, decimals: 6 },
    }),
    memo(`bare ${transfers++}`),
  );
  transaction.sign(payer);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  for (;;) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) throw new Error(`a bare transfer failed: ${JSON.stringify(status.err)}`);
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return;
    await new Promise((later) => setTimeout(later, POLL));
  }
}
