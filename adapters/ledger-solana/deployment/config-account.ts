import { SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Signer } from '../../../core/ledger/ledger.ts';
import type { SettlementNumbers } from '../../../core/protocol/settlement/numbers.ts';
import { publicKey } from '../holdings.ts';
import { createAssociatedToken } from '../instructions.ts';
import { CONFIG_SIZE, initConfig } from '../program/index.ts';
import { programNumbers } from '../settlement/numbers.ts';
import { web3Instruction } from '../signed-transaction.ts';
import type { DeploymentRpc } from './deployment-rpc.ts';

export interface NewConfig {
  readonly programId: string;
  /** Its key signs once; afterwards nobody can change the account. */
  readonly config: Signer;
  readonly mint: string;
  readonly treasury: string;
  readonly genesisHash: string;
  readonly networkId: string;
  readonly numbers: SettlementNumbers;
}

/** Makes a config account, and the treasury's token account where it is missing; in one transaction. */
export async function createConfig(chain: DeploymentRpc, payer: Signer, made: NewConfig): Promise<void> {
  const { programId, config, mint, treasury, genesisHash, networkId, numbers } = made;
  const place = { programId, config: config.address, mint, treasury };
  const network = { genesisHash: bs58.decode(genesisHash), networkId };
  const instructions: TransactionInstruction[] = [
    SystemProgram.createAccount({
      fromPubkey: publicKey(payer.address),
      newAccountPubkey: publicKey(config.address),
      lamports: await chain.rent(CONFIG_SIZE),
      space: CONFIG_SIZE,
      programId: publicKey(programId),
    }),
    createAssociatedToken(publicKey(payer.address), publicKey(treasury), publicKey(mint)),
    web3Instruction(initConfig(place, network, programNumbers(numbers))),
  ];
  await chain.send(instructions, [payer, config]);
}
