import { MeshError } from '../../../core/contracts/errors.ts';
import type { Cluster } from '../../../core/ledger/ledger.ts';
import type { ProgramReport, VerifyOptions } from '../../../core/ledger/program-deployment.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { clusterOf } from '../cluster.ts';
import { type Account, publicKey, readAccountsAt } from '../holdings.ts';
import { JsonRpc } from '../json-rpc.ts';
import { decodeAccount, readProgram } from '../program/index.ts';
import { deploymentOf } from '../settlement/deployment.ts';
import { portNumbers } from '../settlement/numbers.ts';
import { compareProgram, deployedOf, programAccounts, tellDifference } from './deployed.ts';

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';
/** Finality takes seconds, and a cluster's clock drifts by less than this. */
const MAX_AGE_SECS = 600;

/** Compares a deployment with this version's program and config: finalised state, all of one slot. */
export async function verifySettlement(options: VerifyOptions, clock: Clock): Promise<ProgramReport> {
  const { program, config: address } = options;
  const rpc = new JsonRpc(options.rpcUrl, clock);
  try {
    const cluster = await clusterOf(rpc, options.usdcMint);
    const config = address === undefined ? [] : [publicKey(address)];
    const addresses = [publicKey(CLOCK_SYSVAR), ...programAccounts(program), ...config];
    const { slot, value } = await readAccountsAt(rpc, addresses, 'finalized');
    const [clockAccount, programAccount, programData, configAccount] = value;
    const time = timeOf(clockAccount, slot);
    const deployed = deployedOf(programAccount, programData);
    const comparison = typeof deployed === 'object' ? compareProgram(deployed, readProgram()) : undefined;
    const upgradeAuthority = (typeof deployed === 'object' && deployed.upgradeAuthority) || null;
    const found = configOf(configAccount, options);
    const problems = [
      ...ageProblems(time, slot, clock),
      ...(comparison ? [] : [`There is no program at ${program} on ${cluster.name}.`]),
      ...(comparison && !comparison.matches
        ? [`The program on the ledger is not the one of this version: ${tellDifference(comparison)}.`]
        : []),
      ...(comparison ? authorityProblems(options, upgradeAuthority) : []),
      ...configProblems(configAccount, found, cluster, options),
    ];
    return {
      ...{ cluster: cluster.name, program, slot, time },
      matches: comparison?.matches ?? false,
      ...(comparison && { comparison }),
      upgradeAuthority,
      ...(found && { config: found }),
      problems,
    };
  } finally {
    rpc.close();
  }
}

/** By the ledger's own clock, which is of the same moment as everything else that was read. */
function timeOf(account: Account | null | undefined, slot: number): number {
  if (account?.data.length !== 40 || Number(account.data.readBigUInt64LE(0)) > slot)
    throw new MeshError('ledger_unavailable', 'The ledger does not tell its time.');
  return Number(account.data.readBigInt64LE(32));
}

/** A node that has stopped following its cluster shows a former state. */
function ageProblems(time: number, slot: number, clock: Clock): string[] {
  const age = Math.round(clock.now() / 1_000 - time);
  if (age <= MAX_AGE_SECS) return [];
  return [`The RPC node is behind: its newest finalised slot ${slot} is ${age} seconds old. Ask another one.`];
}

function authorityProblems({ upgradeAuthority: wanted }: VerifyOptions, found: string | null): string[] {
  if (wanted === undefined || wanted === found) return [];
  return [`${found ?? 'Nobody'} can change the program, and not ${wanted ?? 'nobody'}.`];
}

function configOf(account: Account | null | undefined, { program, config }: VerifyOptions): ProgramReport['config'] {
  const values = account ? decodeAccount(program, 'config', account) : undefined;
  if (!values || config === undefined) return undefined;
  const { mint, treasury, network } = values;
  return { address: config, mint, treasury, network: toHex(network), numbers: portNumbers(values) };
}

function configProblems(
  account: Account | null | undefined,
  found: ProgramReport['config'],
  cluster: Cluster,
  { program, config, networkId }: VerifyOptions,
): string[] {
  if (config === undefined) return [];
  if (!account || !found) return [`${config} is no config account of the program ${program}.`];
  if (networkId === undefined)
    return found.mint === cluster.usdcMint
      ? []
      : [`The config is for the mint ${found.mint}, not for USDC ${cluster.usdcMint}.`];
  try {
    deploymentOf(account, cluster, { programId: program, config, networkId });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
