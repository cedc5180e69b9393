import { Connection, type ConnectionConfig, Keypair } from '@solana/web3.js';
import { type Localnet, type LocalnetOptions, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';

/** A localnet with a stock client, for one test file. */
export interface TestCluster {
  readonly net: Localnet;
  readonly connection: Connection;
  /** A new keypair holding that much. */
  funded(sol?: number): Promise<Keypair>;
  stop(): Promise<void>;
}

export async function startCluster(options: Partial<LocalnetOptions> = {}): Promise<TestCluster> {
  const net = await startLocalnet({ log: silentLog, admin: true, ...options });
  const connection = connect(net.url);
  return {
    net,
    connection,
    async funded(sol = 5) {
      const keypair = Keypair.generate();
      await net.faucet.sol(keypair.publicKey.toBase58(), BigInt(sol * 1e9));
      return keypair;
    },
    async stop() {
      disconnect(connection);
      await net.stop();
    },
  };
}

export function connect(url: string, config: ConnectionConfig = {}): Connection {
  return new Connection(url, { commitment: 'confirmed', disableRetryOnRateLimit: true, ...config });
}

/** A stock client reconnects its WebSocket for ever; there is no public way to end it. */
export function disconnect(connection: Connection): void {
  const socket = (connection as unknown as { _rpcWebSocket: { setAutoReconnect(on: boolean): void; close(): void } })
    ._rpcWebSocket;
  socket.setAutoReconnect(false);
  socket.close();
}

/** A raw JSON-RPC call: the whole answer. */
export async function rpc(url: string, method: string, params: unknown = []): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
}
