import { SystemProgram } from '@solana/web3.js';
import { isMeshError, MeshError } from '../../../core/contracts/errors.ts';
import type { Cluster } from '../../../core/ledger/ledger.ts';
import type { DeployedSettlement, DeployOptions } from '../../../core/ledger/program-deployment.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { clusterOf } from '../cluster.ts';
import { publicKey, readAccounts } from '../holdings.ts';
import { deploymentSizes, deployProgram, LOADER, readProgram, setUpgradeAuthority } from '../program/index.ts';
import type { FoundDeployment } from '../settlement/deployment.ts';
import { protocolNumbers } from '../settlement/numbers.ts';
import { web3Instruction } from '../signed-transaction.ts';
import { authorityAddress, checkCanSign } from './authority.ts';
import { createConfig } from './config-account.ts';
import { compareProgram, tellDifference } from './deployed.ts';
import { DeploymentRpc } from './deployment-rpc.ts';
import { readStanding, type Standing } from './standing.ts';
import { uploadProgram } from './upload.ts';

/** How long the ledger may take to finalise what it has confirmed. */
const FINALITY_MS = 120_000;
const LOOK_MS = 500;

/** Deploys the program and makes its config; every step looks first whether an earlier run has done it. */
export async function deploySettlement(options: DeployOptions, clock: Clock): Promise<DeployedSettlement> {
  const { payer, keys, progress } = options;
  const chain = new DeploymentRpc(options.rpcUrl, clock, options.signal);
  try {
    const cluster = await clusterOf(chain.rpc, options.usdcMint);
    progress(`cluster ${cluster.name} (${cluster.genesisHash})`);
    const authority = authorityAddress(await options.authority(cluster.name), cluster.name, options);
    if (authority !== null) checkCanSign(authority, (await readAccounts(chain.rpc, [publicKey(authority)]))[0]);
    const before = await readStanding(chain.rpc, cluster, options, 'confirmed');
    checkProgram(before, authority, options);

    if (before.program === 'nothing') await deployBytes(chain, options, clock);
    progress(`program ${keys.program.address}`);
    if (!before.config) await makeConfig(chain, cluster, options);
    progress(`config ${keys.config.address}`);
    await handOver(chain, cluster, authority, options);
    progress('waiting until the ledger has finalised it');
    const { config } = await finalised(chain, cluster, authority, options, clock);
    return {
      cluster: cluster.name,
      genesisHash: cluster.genesisHash,
      program: config.programId,
      config: config.config,
      treasury: config.treasury,
      mint: config.mint,
      network: toHex(config.network),
      upgradeAuthority: authority,
    };
  } finally {
    chain.close();
  }

  async function makeConfig(chain: DeploymentRpc, cluster: Cluster, { networkId, treasury }: DeployOptions) {
    const numbers = protocolNumbers(options.numbers);
    const place = { programId: keys.program.address, config: keys.config, mint: cluster.usdcMint, treasury };
    await createConfig(chain, payer, { ...place, genesisHash: cluster.genesisHash, networkId, numbers });
  }
}

/** Refuses, before anything is sent, a deployment over another program, or one that could not finish. */
function checkProgram({ program }: Standing, authority: string | null, { payer, keys }: DeployOptions): void {
  const address = keys.program.address;
  if (program === 'nothing') return;
  if (program === 'other')
    throw new MeshError('conflict', `At ${address} is an account that is no program: deploy with new keys (--keys).`);
  const comparison = compareProgram(program, readProgram());
  if (!comparison.matches)
    throw new MeshError(
      'conflict',
      `At ${address} is another program, and it is not written over: ${tellDifference(comparison)}. ` +
        'Deploy this version with new keys (--keys), or have the upgrade authority upgrade it and run "mesh program verify".',
    );
  const present = program.upgradeAuthority ?? null;
  if (present !== authority && present !== payer.address)
    throw new MeshError(
      'conflict',
      present === null
        ? `Nobody can change the program ${address} any more: say --final, or deploy with new keys (--keys).`
        : `${present} may change the program ${address}, not the paying key: only ${present} can hand that over.`,
    );
}

async function deployBytes(chain: DeploymentRpc, options: DeployOptions, clock: Clock): Promise<void> {
  const { payer, keys, progress } = options;
  const bytes = readProgram();
  await uploadProgram(chain, payer, keys.buffer, bytes, progress);
  const sizes = deploymentSizes(bytes);
  const names = { payer: payer.address, program: keys.program.address, buffer: keys.buffer.address };
  await chain.send(
    [
      SystemProgram.createAccount({
        fromPubkey: publicKey(payer.address),
        newAccountPubkey: publicKey(keys.program.address),
        lamports: await chain.rent(sizes.program),
        space: sizes.program,
        programId: publicKey(LOADER),
      }),
      web3Instruction(deployProgram({ ...names, authority: payer.address, maxLength: bytes.length })),
    ],
    [payer, keys.program],
  );
  await chain.nextSlot(clock);
}

/** Gives the right to change the program to the chosen authority. */
async function handOver(
  chain: DeploymentRpc,
  cluster: Cluster,
  authority: string | null,
  options: DeployOptions,
): Promise<void> {
  const { payer, keys, progress } = options;
  const { program } = await readStanding(chain.rpc, cluster, options, 'confirmed', chain.slot);
  if (typeof program === 'string')
    throw new MeshError('ledger_unavailable', 'The ledger does not show the program; run the same command again.');
  if ((program.upgradeAuthority ?? null) !== authority) {
    const step = setUpgradeAuthority(keys.program.address, payer.address, authority ?? undefined);
    await chain.send([web3Instruction(step)], [payer]);
  }
  progress(authority === null ? 'nobody can change the program any more' : `${authority} can change the program`);
}

/** Reads back the accounts that were made, once they are finalised: a confirmed transaction can still be lost. */
async function finalised(
  chain: DeploymentRpc,
  cluster: Cluster,
  authority: string | null,
  options: DeployOptions,
  clock: Clock,
): Promise<{ config: FoundDeployment }> {
  const ours = readProgram();
  for (const until = clock.now() + FINALITY_MS; ; await clock.sleep(LOOK_MS, options.signal)) {
    const found = await readStanding(chain.rpc, cluster, options, 'finalized', chain.slot).catch(behind);
    const { program, config } = found ?? {};
    const isThere = typeof program === 'object' && compareProgram(program, ours).matches;
    if (isThere && config && (program.upgradeAuthority ?? null) === authority) return { config };
    if (clock.now() >= until)
      throw new MeshError(
        'ledger_unavailable',
        `The ledger has confirmed the deployment and not finalised it in ${FINALITY_MS / 1000} seconds; run the same command again.`,
      );
  }
}

/** The node has not got that far, or does not answer: it is asked again. */
function behind(error: unknown): undefined {
  if (!isMeshError(error) || error.code !== 'ledger_unavailable') throw error;
}
