import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { localnetGenesisHash } from '../../core/ledger/clusters.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { messageOf } from '../../core/platform/problem.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, USDC_DECIMALS, USDC_MINT } from './addresses.ts';
import { Chain } from './chain.ts';
import { DataFolder } from './data-folder.ts';
import { Slots } from './slots.ts';
import { writeDurably } from './snapshot.ts';
import { encodeMint, MINT_BYTES } from './token-accounts.ts';

/** 9 million SOL: below 2^53 lamports, so that every balance is exact in JSON. */
const FAUCET_LAMPORTS = 9_000_000_000_000_000n;
const FAUCET_FILE = 'faucet.json';

export interface Program {
  readonly address: string;
  readonly elf: Uint8Array;
}

export interface ChainOptions {
  readonly dir: string | undefined;
  readonly slotMs: number;
  readonly programs: readonly Program[];
  readonly historyLimit: number;
  readonly clock: Clock;
}

/** Opens the chain in the folder, or begins a new one with its own genesis hash and faucet. */
export function openChain(options: ChainOptions): { chain: Chain; faucet: Keypair } {
  const folder = options.dir === undefined ? undefined : new DataFolder(options.dir);
  try {
    const faucet = faucetKeypair(folder?.path);
    const chain = restore(options, folder) ?? begin(options, folder, faucet);
    for (const { address, elf } of options.programs) chain.loadProgram(address, elf);
    return { chain, faucet };
  } catch (error) {
    folder?.close();
    throw error;
  }
}

function restore({ clock, slotMs, historyLimit }: ChainOptions, folder: DataFolder | undefined): Chain | undefined {
  const from = folder?.snapshot();
  if (!folder || !from) return undefined;
  const { genesisHash } = from;
  const slots = new Slots(clock, slotMs, genesisHash, from.stamp);
  const chain = new Chain({ genesisHash, slots, historyLimit, folder, from });
  folder.open(from.seq, (text) => chain.replay(text));
  return chain;
}

function begin({ clock, slotMs, historyLimit }: ChainOptions, folder: DataFolder | undefined, faucet: Keypair): Chain {
  const genesisHash = localnetGenesisHash(randomBytes(24));
  const slots = new Slots(clock, slotMs, genesisHash);
  const chain = new Chain({ genesisHash, slots, historyLimit, folder, from: undefined });
  const authority = faucet.publicKey.toBase58();
  chain.engine.setAccount(authority, {
    lamports: FAUCET_LAMPORTS,
    data: Buffer.alloc(0),
    owner: SYSTEM_PROGRAM,
    executable: false,
  });
  chain.engine.setAccount(USDC_MINT, {
    lamports: BigInt(chain.engine.rentExemption(MINT_BYTES)),
    data: encodeMint(authority, USDC_DECIMALS),
    owner: TOKEN_PROGRAM,
    executable: false,
  });
  chain.snapshot(); // from here on the chain exists on disk
  return chain;
}

function faucetKeypair(folder: string | undefined): Keypair {
  if (folder === undefined) return Keypair.generate();
  const path = join(folder, FAUCET_FILE);
  if (existsSync(path)) {
    try {
      return Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(path, 'utf8'))));
    } catch (error) {
      throw new Error(
        `${path}, which holds the key of the localnet's faucet, is damaged (${messageOf(error)}). Restore the folder, or remove it to begin a new chain.`,
      );
    }
  }
  const keypair = Keypair.generate();
  writeDurably(path, Buffer.from(JSON.stringify([...keypair.secretKey])));
  return keypair;
}
