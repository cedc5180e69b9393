import { join } from 'node:path';
import type { Settings } from '../../contracts/settings.ts';
import { readKeyFile } from '../../host/key-file.ts';
import { clusterName } from '../../ledger/clusters.ts';
import { LITTLE_SOL } from '../../ledger/empty-wallet.ts';
import { messageOf } from '../../platform/problem.ts';
import { identityFromSeed } from '../../protocol/signer/identity.ts';
import { callRpc, hostOf } from '../rpc-call.ts';
import type { ClockReading } from './clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { look } from './http-look.ts';

const LAMPORTS = 1_000_000_000;

export interface LedgerLook {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockReading[];
  /** Of the cluster, where an RPC told it. */
  readonly genesisHash: string | undefined;
}

/** Whether each RPC answers for one cluster, and whether the wallet can pay the fees. */
export async function lookAtLedger({ ledger, agent, dataDir, profile }: Settings): Promise<LedgerLook> {
  const { use, rpcUrl, rpcUrls = rpcUrl === undefined ? [] : [rpcUrl] } = ledger;
  if (use !== 'solana' || rpcUrls.length === 0) {
    return {
      findings: [ok('wallet', 'no ledger is configured, so nothing can be paid')],
      clocks: [],
      genesisHash: undefined,
    };
  }
  const hashes = await Promise.all(rpcUrls.map(genesisOf));
  const genesisHash = hashes.find((hash) => typeof hash === 'string');
  const findings = hashes.map((hash, at) => rpcFinding(`rpc ${at + 1}`, hostOf(rpcUrls[at]!), hash, genesisHash));
  const well = rpcUrls.find((_, at) => typeof hashes[at] === 'string');
  if (well === undefined) return { findings, clocks: [], genesisHash };
  const told = await look(well, '');
  const clocks = 'why' in told || !told.clock ? [] : [told.clock];
  const file = agent.keyFile ?? join(dataDir, 'identity.key');
  return { findings: [...findings, await walletFinding(file, well, profile)], clocks, genesisHash };
}

function genesisOf(url: string): Promise<string | Error> {
  const instead = 'The node cannot start without it: check --rpc-url.';
  return callRpc(url, 'getGenesisHash', [], instead).then(String, (error) => new Error(messageOf(error)));
}

/** A node does not start while one of its RPCs is away, or while they are of different clusters. */
function rpcFinding(name: string, host: string, hash: string | Error, first: string | undefined): Finding {
  if (hash instanceof Error) return fail(name, hash.message, 'see that it runs, or give another --rpc-url');
  if (hash === first) return ok(name, `${host} answers, cluster ${clusterName(hash)}`);
  return fail(name, `${host} is of another cluster than the first RPC`, 'give two RPCs of one cluster');
}

async function walletFinding(keyFile: string, rpc: string, profile: Settings['profile']): Promise<Finding> {
  try {
    const seed = readKeyFile(keyFile);
    if (!seed) return ok('wallet', `the first start makes it, in ${keyFile}; it needs SOL for fees then`);
    const { address } = identityFromSeed(seed);
    const answer = (await callRpc(rpc, 'getBalance', [address])) as { value?: unknown };
    const sol = Number(answer.value) / LAMPORTS;
    const text = `${address} holds ${sol} SOL for fees`;
    const what = profile === 'node' ? 'it can lock, pay, stake and lease nothing' : 'it can write no owner links';
    if (sol < LITTLE_SOL) return warn('wallet', text, `send it some SOL: without, ${what}`);
    return ok('wallet', text);
  } catch (error) {
    return fail('wallet', messageOf(error));
  }
}
