import type { Signer } from './ledger.ts';
import type { SettlementNumbers } from './settlement-numbers.ts';

/** What `mesh program` needs of the ledger adapter. */
export interface ProgramTools {
  /**
   * Uploads and deploys the settlement program and makes its config account. Everything it does is read back from the
   * ledger first, so with the same keys it goes on where an earlier run was interrupted, and does nothing twice.
   */
  deploy(options: DeployOptions): Promise<DeployedSettlement>;
  /** Compares what is on the ledger with this version's program. */
  verify(options: VerifyOptions): Promise<ProgramReport>;
}

export interface DeployOptions {
  readonly rpcUrl: string;
  /** Pays, and can upgrade the program afterwards unless `final`. */
  readonly payer: Signer;
  /** The keys of the accounts that are made; keep them until the deployment is complete. */
  readonly keys: DeploymentKeys;
  /** `network.id` of the mesh. */
  readonly networkId: string;
  /** Wallet that gets leases and slashes. */
  readonly treasury: string;
  /** Needed only where the cluster has no official USDC. */
  readonly usdcMint?: string;
  /** In place of the protocol's own numbers. */
  readonly numbers?: Partial<SettlementNumbers>;
  /** Gives up the right to upgrade the program. */
  readonly final: boolean;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface DeploymentKeys {
  readonly buffer: Signer;
  readonly program: Signer;
  readonly config: Signer;
}

export interface DeployedSettlement {
  readonly cluster: string;
  readonly genesisHash: string;
  readonly program: string;
  readonly config: string;
  readonly treasury: string;
  /** Null when nobody can change the program any more. */
  readonly upgradeAuthority: string | null;
}

export interface VerifyOptions {
  readonly rpcUrl: string;
  readonly program: string;
  readonly config?: string;
  /** Checked against the network that the config stores. */
  readonly networkId?: string;
  readonly usdcMint?: string;
}

export interface ProgramReport {
  readonly cluster: string;
  readonly program: string;
  /** The bytes on the ledger are those of this version. */
  readonly matches: boolean;
  /** Null when nobody can change the program any more. */
  readonly upgradeAuthority: string | null;
  readonly config?: {
    readonly address: string;
    readonly mint: string;
    readonly treasury: string;
    /** Hex. */
    readonly network: string;
    readonly numbers: SettlementNumbers;
  };
  /** What is wrong, in sentences; empty when all is well. */
  readonly problems: readonly string[];
}
