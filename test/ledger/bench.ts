import { createPrivateKey, sign } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import type { Signer } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { LedgerBench } from '../../core/testing/ledger-contract.ts';
import { rpc } from '../localnet/cluster.ts';

export interface SolanaBench extends LedgerBench {
  readonly net: Localnet;
}

/** The Solana ledger on a localnet of its own. */
export async function solanaBench(): Promise<SolanaBench> {
  const net = await startLocalnet({ log: silentLog, admin: true });
  const ledger = await openSolanaLedger({ url: net.url, log: silentLog, clock: systemClock });
  return {
    net,
    ledger,
    async wallet(lamports, usdc) {
      const signer = signerOf(Keypair.generate());
      if (lamports > 0n) await net.faucet.sol(signer.address, lamports);
      if (usdc > 0n) await net.faucet.usdc(signer.address, usdc);
      return signer;
    },
    async skipBlocks(count) {
      await rpc(net.url, 'localnet_warp', [{ slots: count, blocks: count }]);
    },
    async close() {
      await ledger.close();
      await net.stop();
    },
  };
}

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

export function signerOf(keypair: Keypair): Signer {
  const seed = keypair.secretKey.subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
  return { address: keypair.publicKey.toBase58(), sign: (message) => sign(null, message, key) };
}
