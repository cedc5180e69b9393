import { Keypair } from '@solana/web3.js';
import nacl from 'tweetnacl';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import type { Signer } from '../../core/ledger/ledger.ts';
import { silentLog } from '../../core/log.ts';
import { systemClock } from '../../core/system-clock.ts';
import type { LedgerBench } from '../contract/ledger.ts';
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

export function signerOf(keypair: Keypair): Signer {
  return {
    address: keypair.publicKey.toBase58(),
    sign: (message) => nacl.sign.detached(message, keypair.secretKey),
  };
}
