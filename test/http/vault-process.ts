import { adapters } from '../../adapters/index.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { counter } from '../../core/storage/declarations.ts';

/** What the parent says on the command line, as JSON. */
export interface VaultSettings {
  readonly dataDir: string;
  readonly storage: Record<string, unknown>;
  readonly publicUrl: string;
  /** What time it is when this process listens, Unix milliseconds; the machine's time unless given. */
  readonly now?: number;
}

const Deposit = typed<{ amount: number; hang?: 'before' | 'after' }>({
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'integer' }, hang: { enum: ['before', 'after'] } },
});
const Balance = typed<{ amount: number; at: string }>({ type: 'object' });
const Total = typed<{ total: number }>({ type: 'object' });

const total = counter('total');
const write = {
  body: Deposit,
  reply: Balance,
  idempotency: true,
} as const;

/** Counts what is deposited; a deposit can be told to hang before or after it is durable. */
const vault = definePlugin({
  name: 'vault',
  api: '2.0',
  aggregator: {
    routes: {
      deposit: route('POST /vault', { auth: 'api', ...write }),
      sign: route('POST /vault/signed', { auth: 'agent', ...write }),
      look: route('GET /vault', { auth: 'open', reply: Total }),
    },
    setup(_, { space, name }) {
      async function deposit({ body, operationId }: { body: { amount: number; hang?: string }; operationId?: string }) {
        if (body.hang === 'before') await new Promise(() => {});
        await space.tx([], (tx) => tx.add(total, body.amount), { opId: operationId });
        if (body.hang === 'after') await new Promise(() => {});
        return { amount: body.amount, at: `${name} ${process.pid}` };
      }
      return {
        routes: {
          deposit: (call) => deposit(call as Parameters<typeof deposit>[0]),
          sign: (call) => deposit(call as Parameters<typeof deposit>[0]),
          look: async () => ({ total: Number(await space.total(total)) }),
        },
      };
    },
  },
});

/** An aggregator with a vault that runs until it is killed; prints its address and secret. */
async function main({ dataDir, storage, publicUrl, now }: VaultSettings): Promise<void> {
  let listening: number | undefined;
  const elapsed = () => (listening === undefined ? 0 : systemClock.now() - listening);
  const clock: Clock = now === undefined ? systemClock : { ...systemClock, now: () => now + elapsed() };
  const node = await startNode({
    parts: { adapters, plugins: { vault: () => vault } },
    clock,
    log: silentLog,
    config: {
      value: {
        profile: 'aggregator',
        listen: '127.0.0.1:0',
        dataDir,
        storage,
        network: { id: 'vault-tests' },
        api: { publicUrl },
        plugins: { vault: {} },
      },
    },
  });
  listening = systemClock.now();
  process.stdout.write(`${JSON.stringify({ url: node.url, secret: node.apiSecret })}\n`);
}

if (process.env['MESH_TEST_WORKER']) await main(JSON.parse(process.argv[2]!));
