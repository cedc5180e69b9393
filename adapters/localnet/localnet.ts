import type { Clock } from '../../core/platform/clock.ts';
import type { Log } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { Faucet } from './faucet.ts';
import type { Faults } from './faults/faults.ts';
import { type RpcFaults, readFaults } from './faults/plan.ts';
import { accountMethods } from './methods/accounts.ts';
import { adminMethods } from './methods/admin.ts';
import { clusterMethods } from './methods/cluster.ts';
import { faucetMethods } from './methods/faucet.ts';
import { historyMethods } from './methods/history.ts';
import { tokenMethods } from './methods/tokens.ts';
import { transactionMethods } from './methods/transactions.ts';
import { openChain, type Program } from './open-chain.ts';
import { PubSub } from './pubsub.ts';
import { Rpc, type RpcMethods } from './rpc.ts';
import { serve } from './server.ts';
import { play, View } from './view.ts';

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
  /** The faults of each view's RPC; the number of views is the number of entries. They can be changed while it runs. */
  readonly faults?: RpcFaults;
  /** Lamports that an account costs a byte; 6,960 unless given, as clusters had it from the start. */
  readonly rentPerByte?: bigint;
  /** Serves `localnet_warp`, `localnet_setAccount`, `localnet_setRent` and `localnet_setFaults` too. */
  readonly admin?: boolean;
  /** How many transactions the history keeps. */
  readonly historyLimit?: number;
  readonly log: Log;
  readonly clock?: Clock;
}

/** One RPC node over the chain of a localnet. */
export interface LocalnetView {
  /** For `new Connection(url)`. */
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  /** The faults of this view. */
  readonly faults: Faults;
}

/** A running Solana cluster of one process, for development and tests. Its own URL is that of the first view. */
export interface Localnet extends LocalnetView {
  readonly views: readonly LocalnetView[];
  readonly genesisHash: string;
  /** Gives to any address; each call returns the signature of a transaction that has landed. */
  readonly faucet: {
    sol(address: string, lamports: bigint): Promise<string>;
    usdc(owner: string, minor: bigint): Promise<string>;
  };
  /** Replaces the faults of every view; views that are not named have none any more. */
  play(faults: RpcFaults): void;
  /** From now on an account has to hold so many lamports a byte. */
  setRent(lamportsPerByte: bigint): void;
  /** Time jumps ahead, for tests; by one slot and block unless told. */
  warp(by: { readonly slots?: number; readonly blocks?: number; readonly seconds?: number }): void;
  stop(): Promise<void>;
}

/**
 * Starts the cluster. A transaction that it has acknowledged is on disk. One per process: the engine's memory is not
 * given back. Fails with a plain sentence when the engine is missing, the folder is in use or damaged, or a port is
 * taken.
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { port = 0, host = '127.0.0.1', slotMs = 400, programs = [], historyLimit = 50_000, log } = options;
  const clock = options.clock ?? systemClock;
  const planned = readFaults(options.faults ?? { views: [{}] });
  const { chain, faucet: keypair } = openChain({ dir: options.dir, slotMs, programs, historyLimit, clock });
  const faucet = new Faucet(chain, keypair);
  const views = planned.views.map(() => new View(chain));
  const methods = options.admin ? { ...METHODS, ...adminMethods } : METHODS;
  const opened: { stop(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((one) => one.stop()));
    chain.close();
  };
  try {
    if (options.rentPerByte !== undefined && options.rentPerByte !== chain.engine.rentPerByte)
      chain.setRent(options.rentPerByte);
    const served: LocalnetView[] = [];
    for (const [index, view] of views.entries()) {
      const rpc = new Rpc(methods, { chain, faucet, view, views }, log);
      const wanted = index === 0 ? port : (planned.views[index]!.port ?? 0);
      const server = await serve(rpc, new PubSub(view, rpc, clock, slotMs), wanted, host);
      opened.push({ stop: () => server.close() });
      served.push({ ...urlsOf(host, server.port), port: server.port, faults: view.faults });
    }
    play(views, planned);
    const [first] = served as [LocalnetView];
    log.info({ url: first.url, genesisHash: chain.genesisHash }, 'the localnet is up');
    let stopped: Promise<void> | undefined;
    return {
      ...first,
      views: served,
      genesisHash: chain.genesisHash,
      faucet: {
        sol: async (address, lamports) => faucet.sol(address, lamports),
        usdc: async (owner, minor) => faucet.usdc(owner, minor),
      },
      play: (faults) => play(views, readFaults(faults)),
      setRent: (lamportsPerByte) => chain.setRent(lamportsPerByte),
      warp: ({ slots = 1, blocks = 1, seconds = 0 }) => void chain.warp(slots, blocks, seconds),
      stop() {
        stopped ??= close();
        return stopped;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const METHODS: RpcMethods = {
  ...clusterMethods,
  ...accountMethods,
  ...tokenMethods,
  ...transactionMethods,
  ...historyMethods,
  ...faucetMethods,
};

function urlsOf(host: string, port: number): { readonly url: string; readonly wsUrl: string } {
  const named = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${named}:${port}`, wsUrl: `ws://${named}:${port + 1}` };
}
