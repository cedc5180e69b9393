/// <reference types="node" preserve="true" />
/**
 * `agent-mesh/settlement`: USDC across chains. The gateway's balances, fees and attestations of burns, the estimate of a settlement, and the
 * burn itself as an instruction for Solana. It signs nothing and keeps nothing.
 */
export {
  ATTESTATION_URLS,
  Attestation,
  type AttestationOptions,
  type Attested,
  type AttestedBurn,
  POLL_SECONDS,
  type SettlementEstimate,
} from './attestation.ts';
export { type Fetch, type FetchAnswer, type FetchInit, SettlementError } from './call-json.ts';
export { CHAINS, type Chain, chainNamed, chainOf, type WireDomain } from './chains.ts';
export { type FeePolicy, type PlatformFee, platformFee, type Speed, type TransferFee } from './fees.ts';
export {
  type DepositCheck,
  GATEWAY_URLS,
  GATEWAY_WALLETS,
  Gateway,
  type GatewayBalance,
  type GatewayChain,
} from './gateway.ts';
export { type BurnMessage, readBurnMessage } from './message.ts';
export { type Burn, burnUsdc, MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from './solana/burn.ts';
export { type AccountMeta, buildTransaction, type Cosigner, type Instruction } from './solana/transaction.ts';
export { UsdcAmount } from './usdc-amount.ts';

/** Of this library, apart from the package's. */
export const SETTLEMENT_VERSION = '0.1.0';
