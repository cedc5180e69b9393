import type { RpcMethods } from '../rpc.ts';

const MAX_LAMPORTS = 1_000_000_000_000;
const MAX_USDC = 1_000_000_000_000;

export const faucetMethods: RpcMethods = {
  /** `[address, lamports]`, at most 1000 SOL. */
  requestAirdrop: (params, { faucet }) => faucet.sol(params.address(0), BigInt(params.integer(1, 1, MAX_LAMPORTS))),

  /** `[owner, minor units]`, at most a million USDC: minted into the owner's associated token account. */
  localnet_airdropUsdc: (params, { faucet }) => faucet.usdc(params.address(0), BigInt(params.integer(1, 1, MAX_USDC))),
};
