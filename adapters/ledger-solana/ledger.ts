import type { PublicKey } from '@solana/web3.js';
import type { Clock } from '../../core/clock.ts';
import type { Ledger, PreparedTransaction } from '../../core/ledger/ledger.ts';
import type { Log } from '../../core/log.ts';
import { USDC_DECIMALS } from '../../core/money.ts';
import { clusterOf } from './cluster.ts';
import { publicKey, readAccounts, readBalances, tokenAmount } from './holdings.ts';
import { Incoming } from './incoming.ts';
import { associatedTokenAddress } from './instructions.ts';
import { JsonRpc } from './json-rpc.ts';
import type { SettlementAddress } from './settlement/deployment.ts';
import { refusedBytes } from './settlement/refused.ts';
import { openSettlement } from './settlement/settlement.ts';
import { SlotWatch } from './slot-watch.ts';
import { Submission } from './submission.ts';
import { prepareTransfer } from './transfer.ts';

const DECIMALS_AT = 44;
const MAX_PRIORITY_FEE = 1_000_000;

export interface SolanaLedgerOptions {
  /** HTTP address of an RPC node. It may carry an API key and is never logged. */
  readonly url: string;
  /** Needed only where the cluster has no official USDC. */
  readonly usdcMint?: string;
  /** Where the settlement program is; without it the ledger only pays. */
  readonly settlement?: SettlementAddress;
  /** The most that is offered for being taken sooner, in micro-lamports per compute unit; a million unless told. */
  readonly maxPriorityFee?: number;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Opens the ledger; fails with `ledger_unavailable` when the node does not answer, and with a plain sentence when its
 * USDC is none or the settlement program is not the one that was meant.
 */
export async function openSolanaLedger(options: SolanaLedgerOptions): Promise<Ledger> {
  const { url, usdcMint, settlement: address, log, clock } = options;
  const rpc = new JsonRpc(url, clock);
  const cluster = await clusterOf(rpc, usdcMint);
  const mint = publicKey(cluster.usdcMint);
  await checkMint(rpc, mint);
  const { maxPriorityFee = MAX_PRIORITY_FEE } = options;
  const submission = new Submission(
    rpc,
    clock,
    (bytes, error) => address && refusedBytes(address.programId, bytes, error),
  );
  const incoming = new Incoming(rpc, mint);
  const prepared = (transaction: PreparedTransaction) => submission.prepared(transaction);
  const settlement = address && (await openSettlement(rpc, cluster, { ...address, maxPriorityFee, prepared }));
  const slots = new SlotWatch(rpc, clock, log);
  return {
    cluster,
    settlement,
    slot: () => slots.slot(),
    balances: (owner) => readBalances(rpc, owner),
    async usdc(owner) {
      const holder = publicKey(owner);
      const [account] = await readAccounts(rpc, [associatedTokenAddress(holder, mint)]);
      return tokenAmount(account ?? null, holder, mint);
    },
    async prepareUsdcTransfer(transfer, signer) {
      const payment = await prepareTransfer(rpc, mint, transfer, signer);
      prepared(payment);
      return payment;
    },
    submit: (transaction, signal) => submission.submit(transaction, signal),
    outcome: (transaction) => submission.outcome(transaction),
    incomingUsdc: (owner, after, limit) => incoming.list(owner, after, limit),
    async close() {
      slots.close();
      rpc.close();
    },
  };
}

async function checkMint(rpc: JsonRpc, mint: PublicKey): Promise<void> {
  const [account] = await readAccounts(rpc, [mint]);
  if (account?.data[DECIMALS_AT] === USDC_DECIMALS) return;
  throw new Error(`${mint.toBase58()} is no token mint with ${USDC_DECIMALS} decimals on this cluster.`);
}
