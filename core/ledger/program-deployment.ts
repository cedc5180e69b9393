import type { SettlementNumbers } from '../protocol/settlement/numbers.ts';
import type { Signer } from './ledger.ts';

/** The part of the ledger adapter that `mesh program` uses. */
export interface ProgramTools {
  /**
   * Uploads and deploys the settlement program and makes its config account. Everything it does is read back from the
   * ledger first, so with the same keys it goes on where an earlier run was interrupted, and does nothing twice. A
   * program that is there already and is another one is never written over. Resolves when all of it is finalised and
   * was read back so.
   */
  deploy(options: DeployOptions): Promise<DeployedSettlement>;
  /** Compares what is on the ledger with this version's program. */
  verify(options: VerifyOptions): Promise<ProgramReport>;
}

export interface DeployOptions {
  readonly rpcUrl: string;
  /** Pays, and can change the program until `authority` can. */
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
  /**
   * Gives the key that may change the program afterwards. Asked once, when the cluster is known and before anything
   * is sent.
   */
  readonly authority: (cluster: string) => UpgradeAuthority | Promise<UpgradeAuthority>;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** `final`: nobody. `payer`: the key that pays, which is no choice for a cluster with real money. */
export type UpgradeAuthority = 'final' | 'payer' | { readonly address: string };

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
  readonly mint: string;
  /** Hex: what every agent of this mesh signs with. */
  readonly network: string;
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
  /** The key that must be able to change the program; null for nobody. */
  readonly upgradeAuthority?: string | null;
}

/** How the bytes on the ledger stand beside those of this version. */
export interface ProgramComparison {
  readonly matches: boolean;
  /** Null when they match. */
  readonly firstDifference: number | null;
  readonly ours: ProgramBytes;
  /** Without the zeros behind it. */
  readonly found: ProgramBytes;
}

interface ProgramBytes {
  readonly bytes: number;
  readonly sha256: string;
}

export interface ProgramReport {
  readonly cluster: string;
  readonly program: string;
  /** The finalised slot that all of this was read at, and its time by the ledger's clock in Unix seconds. */
  readonly slot: number;
  readonly time: number;
  /** The bytes on the ledger are those of this version. */
  readonly matches: boolean;
  /** Absent when there is no program. */
  readonly comparison?: ProgramComparison;
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
  /** The problems found, in sentences; empty when all is well. */
  readonly problems: readonly string[];
}
