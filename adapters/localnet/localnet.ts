import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { systemClock } from '../../core/system-clock.ts';
import { Faucet } from './faucet.ts';
import { accountMethods } from './methods/accounts.ts';
import { adminMethods } from './methods/admin.ts';
import { clusterMethods } from './methods/cluster.ts';
import { faucetMethods } from './methods/faucet.ts';
import { historyMethods } from './methods/history.ts';
import { tokenMethods } from './methods/tokens.ts';
import { transactionMethods } from './methods/transactions.ts';
import { openChain, type Program } from './open-chain.ts';
import { PubSub } from './pubsub.ts';
import { Rpc } from './rpc.ts';
import { serve } from './server.ts';

export interface LocalnetOptions {
  /** HTTP port; the WebSocket is on the next one. 0, the default, takes a free pair. */
  readonly port?: number;
  /** A loopback address; 127.0.0.1 unless told. */
  readonly host?: string;
  /** Where the chain lives. Without it the chain is gone when the localnet stops. */
  readonly dir?: string;
  /** 400 as on real clusters; below that, blockhashes cached by clients grow stale. 0: slots move by warp only. */
  readonly slotMs?: number;
  /** Programs to put at their addresses at start. */
  readonly programs?: readonly Program[];
  /** Serves `localnet_warp` and `localnet_setAccount` too. */
  readonly admin?: boolean;
  /** How many transactions the history keeps. */
  readonly historyLimit?: number;
  readonly log: Log;
  readonly clock?: Clock;
}

/** A running Solana cluster of one process, for development and tests. */
export interface Localnet {
  /** For `new Connection(url)`. */
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  readonly genesisHash: string;
  /** Gives to any address; each call returns the signature of a transaction that has landed. */
  readonly faucet: {
    sol(address: string, lamports: bigint): Promise<string>;
    usdc(owner: string, minor: bigint): Promise<string>;
  };
  /** Time jumps ahead, for tests; by one slot and block unless told. */
  warp(by: { readonly slots?: number; readonly blocks?: number; readonly seconds?: number }): void;
  stop(): Promise<void>;
}

/**
 * Starts the cluster. What it has acknowledged is on disk. One per process: the engine's memory is not given back.
 * Fails with a plain sentence when the engine is missing, the folder is in use or damaged, or a port is taken.
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { port = 0, host = '127.0.0.1', slotMs = 400, programs = [], historyLimit = 50_000, log } = options;
  const clock = options.clock ?? systemClock;
  const { chain, faucet: keypair } = openChain({ dir: options.dir, slotMs, programs, historyLimit, clock });
  const faucet = new Faucet(chain, keypair);
  const rpc = new Rpc(
    {
      ...clusterMethods,
      ...accountMethods,
      ...tokenMethods,
      ...transactionMethods,
      ...historyMethods,
      ...faucetMethods,
      ...(options.admin ? adminMethods : {}),
    },
    { chain, faucet },
    log,
  );
  const server = await serve(rpc, new PubSub(chain, rpc, clock, slotMs), port, host).catch((error) => {
    chain.close();
    throw error;
  });
  const authority = (of: number) => `${host.includes(':') ? `[${host}]` : host}:${of}`;
  const url = `http://${authority(server.port)}`;
  log.info({ url, genesisHash: chain.genesisHash }, 'the localnet is up');
  let stopped: Promise<void> | undefined;
  return {
    url,
    wsUrl: `ws://${authority(server.port + 1)}`,
    port: server.port,
    genesisHash: chain.genesisHash,
    faucet: {
      sol: async (address, lamports) => faucet.sol(address, lamports),
      usdc: async (owner, minor) => faucet.usdc(owner, minor),
    },
    warp: ({ slots = 1, blocks = 1, seconds = 0 }) => void chain.warp(slots, blocks, seconds),
    stop() {
      stopped ??= server.close().finally(() => chain.close());
      return stopped;
    },
  };
}
