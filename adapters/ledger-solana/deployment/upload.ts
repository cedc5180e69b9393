import { SystemProgram } from '@solana/web3.js';
import { MeshError } from '../../../core/contracts/errors.ts';
import type { Signer } from '../../../core/ledger/ledger.ts';
import { checkSol } from '../funds.ts';
import { publicKey, readAccounts } from '../holdings.ts';
import { deploymentSizes, initializeBuffer, LOADER, WRITE_SIZE, writeBuffer } from '../program/index.ts';
import { web3Instruction } from '../signed-transaction.ts';
import type { DeploymentRpc } from './deployment-rpc.ts';

const BUFFER_HEAD = 37;
const PARALLEL = 8;
/** Every round sends what is still missing: pieces get lost on a busy cluster. */
const ROUNDS = 20;
const FEES = 10_000_000n;

/**
 * Brings the program into a buffer account. Pieces that an earlier run wrote are kept; only those that differ are
 * sent.
 */
export async function uploadProgram(
  chain: DeploymentRpc,
  payer: Signer,
  buffer: Signer,
  program: Uint8Array,
  progress: (text: string) => void,
): Promise<void> {
  await createBuffer(chain, payer, buffer, program);
  const pieces = Math.ceil(program.length / WRITE_SIZE);
  for (let round = 0; round < ROUNDS; round++) {
    const missing = await missingPieces(chain, buffer.address, program);
    progress(`${pieces - missing.length} of ${pieces} pieces of the program are uploaded`);
    if (missing.length === 0) return;
    for (let first = 0; first < missing.length; first += PARALLEL) {
      const batch = missing.slice(first, first + PARALLEL).map((at) => {
        const piece = program.subarray(at, at + WRITE_SIZE);
        return chain.send([web3Instruction(writeBuffer(buffer.address, payer.address, at, piece))], [payer]);
      });
      // A piece that got lost is found missing in the next round.
      const outcomes = await Promise.allSettled(batch);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed && !isTemporary(failed.reason)) throw failed.reason;
    }
  }
  throw new MeshError('ledger_unavailable', 'The upload does not get ahead; run the same command again later.');
}

async function createBuffer(chain: DeploymentRpc, payer: Signer, buffer: Signer, program: Uint8Array): Promise<void> {
  const [account, wallet] = await readAccounts(chain.rpc, [publicKey(buffer.address), publicKey(payer.address)]);
  if (account) return;
  const sizes = deploymentSizes(program);
  const rent = await chain.rent(sizes.buffer);
  // The buffer's rent pays for the program's account later.
  checkSol(wallet?.lamports ?? 0n, BigInt(rent + (await chain.rent(sizes.program))) + FEES, payer.address);
  await chain.send(
    [
      SystemProgram.createAccount({
        fromPubkey: publicKey(payer.address),
        newAccountPubkey: publicKey(buffer.address),
        lamports: rent,
        space: sizes.buffer,
        programId: publicKey(LOADER),
      }),
      web3Instruction(initializeBuffer(buffer.address, payer.address)),
    ],
    [payer, buffer],
  );
}

/** Where the pieces begin that the buffer does not hold yet. */
async function missingPieces(chain: DeploymentRpc, buffer: string, program: Uint8Array): Promise<number[]> {
  const [account] = await readAccounts(chain.rpc, [publicKey(buffer)]);
  const held = account?.data.subarray(BUFFER_HEAD) ?? Buffer.alloc(0);
  const missing: number[] = [];
  for (let at = 0; at < program.length; at += WRITE_SIZE) {
    const end = Math.min(at + WRITE_SIZE, program.length);
    if (!held.subarray(at, end).equals(program.subarray(at, end))) missing.push(at);
  }
  return missing;
}

function isTemporary(error: unknown): boolean {
  return (error as Partial<MeshError>)?.code === 'ledger_unavailable';
}
