import { SystemProgram } from '@solana/web3.js';
import type { Clock } from '../../../core/clock.ts';
import type { DeployedSettlement, DeployOptions } from '../../../core/ledger/program-deployment.ts';
import { clusterOf } from '../cluster.ts';
import { publicKey, readAccounts } from '../holdings.ts';
import { deploymentSizes, deployProgram, LOADER, readProgram, setUpgradeAuthority } from '../program/index.ts';
import { findDeployment } from '../settlement/deployment.ts';
import { protocolNumbers } from '../settlement/numbers.ts';
import { web3Instruction } from '../signed-transaction.ts';
import { createConfig } from './config-account.ts';
import { readDeployed } from './deployed.ts';
import { DeploymentRpc } from './deployment-rpc.ts';
import { uploadProgram } from './upload.ts';

/** Deploys the program and makes its config; every step looks first whether an earlier run has done it. */
export async function deploySettlement(options: DeployOptions, clock: Clock): Promise<DeployedSettlement> {
  const { payer, keys, progress, networkId, treasury } = options;
  const chain = new DeploymentRpc(options.rpcUrl, clock, options.signal);
  try {
    const cluster = await clusterOf(chain.rpc, options.usdcMint);
    progress(`cluster ${cluster.name} (${cluster.genesisHash})`);
    await deployBytes(chain, options, clock);
    const program = keys.program.address;
    const [made] = await readAccounts(chain.rpc, [publicKey(keys.config.address)]);
    if (!made) {
      const numbers = protocolNumbers(options.numbers);
      const place = { programId: program, config: keys.config, mint: cluster.usdcMint, treasury };
      const config = { ...place, genesisHash: cluster.genesisHash, networkId, numbers };
      await createConfig(chain, payer, config);
    }
    progress(`config ${keys.config.address}`);
    if (options.final) await makeFinal(chain, options);
    const address = { programId: program, config: keys.config.address, networkId };
    const found = await findDeployment(chain.rpc, cluster, address, 'confirmed');
    const deployed = await readDeployed(chain.rpc, program);
    return {
      cluster: cluster.name,
      genesisHash: cluster.genesisHash,
      program,
      config: found.config,
      treasury: found.treasury,
      upgradeAuthority: deployed?.upgradeAuthority ?? null,
    };
  } finally {
    chain.close();
  }
}

async function deployBytes(chain: DeploymentRpc, options: DeployOptions, clock: Clock): Promise<void> {
  const { payer, keys, progress } = options;
  const bytes = readProgram();
  const [account] = await readAccounts(chain.rpc, [publicKey(keys.program.address)]);
  if (!account) {
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
  progress(`program ${keys.program.address}`);
}

async function makeFinal(chain: DeploymentRpc, { payer, keys, progress }: DeployOptions): Promise<void> {
  const deployed = await readDeployed(chain.rpc, keys.program.address);
  if (deployed?.upgradeAuthority !== undefined)
    await chain.send([web3Instruction(setUpgradeAuthority(keys.program.address, payer.address))], [payer]);
  progress('nobody can change the program any more');
}
