import { SystemProgram } from '@solana/web3.js';
import bs58 from 'bs58';
import type { PreparedTransaction, Signer } from '../../../core/ledger/ledger.ts';
import type { SettlementNumbers } from '../../../core/ledger/settlement-numbers.ts';
import { Answer } from '../answers.ts';
import { publicKey } from '../holdings.ts';
import { createAssociatedToken } from '../instructions.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { CONFIG_SIZE, initConfig } from '../program/index.ts';
import { programNumbers } from '../settlement/numbers.ts';
import { compileTransaction, readLifetime, signTransaction, web3Instruction } from '../signed-transaction.ts';

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

/** Builds the transaction that makes a config account, and the treasury's token account where it is missing. */
export async function prepareConfig(rpc: JsonRpc, payer: Signer, made: NewConfig): Promise<PreparedTransaction> {
  const { programId, config, mint, treasury, genesisHash, networkId, numbers } = made;
  const rent = await rpc.call('getMinimumBalanceForRentExemption', [CONFIG_SIZE]);
  const place = { programId, config: config.address, mint, treasury };
  const network = { genesisHash: bs58.decode(genesisHash), networkId };
  const lifetime = await readLifetime(rpc);
  const signers = [payer, config] as const;
  const instructions = [
    SystemProgram.createAccount({
      fromPubkey: publicKey(payer.address),
      newAccountPubkey: publicKey(config.address),
      lamports: new Answer(rent, 'getMinimumBalanceForRentExemption').integer(),
      space: CONFIG_SIZE,
      programId: publicKey(programId),
    }),
    createAssociatedToken(publicKey(payer.address), publicKey(treasury), publicKey(mint)),
    web3Instruction(initConfig(place, network, programNumbers(numbers))),
  ];
  return signTransaction(compileTransaction(instructions, [...signers], lifetime), signers, lifetime);
}
