import { Keypair } from '@solana/web3.js';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import {
  type SettledLocalnet,
  type SettledLocalnetOptions,
  startSettledLocalnet,
} from '../../adapters/localnet-settlement.ts';
import type { Ledger, Signer } from '../../core/ledger/ledger.ts';
import { outcomeError } from '../../core/ledger/refusal.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { SettlementNumbers } from '../../core/protocol/settlement/numbers.ts';
import type { EscrowName, SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { signerOf } from './bench.ts';

export const SOL = 1_000_000_000n;
export const USDC = 1_000_000n;
export const NETWORK = 'settlement-tests';

/** A localnet with the settlement program, and the ledger on it. */
export interface SettlementBench {
  readonly net: SettledLocalnet;
  readonly ledger: Ledger;
  readonly settlement: Settlement;
  wallet(usdc?: bigint, lamports?: bigint): Promise<Signer>;
  /** Has the step land; the slot. */
  take(step: SettlementStep, ...signers: [Signer, ...Signer[]]): Promise<number>;
  /** The lock of a new conversation, ended by a deadline in an hour. */
  lock(requester: Signer, provider: Signer, changed?: object): Promise<EscrowName>;
  close(): Promise<void>;
}

export async function settlementBench(
  numbers: Partial<SettlementNumbers> = {},
  options: Partial<SettledLocalnetOptions> = {},
): Promise<SettlementBench> {
  const net = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK, numbers, ...options });
  const { program: programId, config } = net.settlement;
  const address = { programId, config, networkId: NETWORK };
  const ledger = await openSolanaLedger({ url: net.url, settlement: address, log: silentLog, clock: systemClock });
  const settlement = ledger.settlement!;
  let conversations = 0;
  const bench: SettlementBench = {
    net,
    ledger,
    settlement,
    async wallet(usdc = 100n * USDC, lamports = SOL) {
      const signer = signerOf(Keypair.generate());
      if (lamports > 0n) await net.faucet.sol(signer.address, lamports);
      if (usdc > 0n) await net.faucet.usdc(signer.address, usdc);
      return signer;
    },
    async take(step, ...signers) {
      const outcome = await ledger.submit(await settlement.prepare(step, signers));
      if (outcome.status !== 'confirmed') throw outcomeError(outcome);
      return outcome.slot;
    },
    async lock(requester, provider, changed = {}) {
      conversations += 1;
      const conversation = conversations.toString(16).padStart(32, '0');
      const name = { requester: requester.address, provider: provider.address, conversation };
      const { unixSeconds } = await settlement.time();
      const terms = {
        notary: null,
        amount: 5n * USDC,
        bond: 2n * USDC,
        deadline: unixSeconds + 3600,
        reviewSecs: 7200,
        disputeBps: 0,
      };
      await bench.take({ type: 'lock', ...name, ...terms, terms: 'ab'.repeat(32), ...changed }, requester);
      return name;
    },
    async close() {
      await ledger.close();
      await net.stop();
    },
  };
  return bench;
}
