import { accountsOf } from '../accounts-of.ts';
import { ENGINE_VERSION } from '../engine.ts';
import { feeOf } from '../fee.ts';
import { base64, Options } from '../params.ts';
import { performanceSamples } from '../performance-samples.ts';
import type { RpcMethods } from '../rpc.ts';
import { RPC_CODES, RpcError } from '../rpc-error.ts';
import { BLOCKHASH_BLOCKS, SLOTS_PER_EPOCH } from '../slots.ts';
import { decodeMessage } from '../wire.ts';

const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
const MAX_SAMPLES = 720;
const NEWEST = new Options({ commitment: 'processed' }, 'options');

export const clusterMethods: RpcMethods = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '2.2.0', 'feature-set': 0, engine: `litesvm ${ENGINE_VERSION}` }),
  getGenesisHash: (_, { chain }) => chain.genesisHash,
  getSlot: (params, { read }) => read(params.options(0)).stamp.slot,
  getBlockHeight: (params, { read }) => read(params.options(0)).stamp.height,
  getFirstAvailableBlock: (_, { read }) => read().firstSlot,
  getTransactionCount: (params, { chain, read }) => read(params.options(0)) && chain.length,

  getBlockTime(params, { chain, read }) {
    const slot = params.integer(0, 0, Number.MAX_SAFE_INTEGER);
    const { stamp, firstSlot } = read(NEWEST);
    if (slot < firstSlot) {
      const why = `Block ${slot} cleaned up, does not exist on node. First available block: ${firstSlot}`;
      throw new RpcError(RPC_CODES.blockCleanedUp, why);
    }
    return slot <= stamp.slot ? chain.slots.at(slot).unix : null;
  },

  getEpochInfo(params, { chain, read }) {
    const { slot, height } = read(params.options(0)).stamp;
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.length,
    };
  },

  getLatestBlockhash(params, { chain, read }) {
    const reading = read(params.options(0));
    return reading.context(chain.slots.latestBlockhash(reading.stamp));
  },

  isBlockhashValid(params, { chain, read }) {
    const reading = read(params.options(1));
    return reading.context(chain.slots.isValid(params.address(0), reading.stamp));
  },

  getMinimumBalanceForRentExemption: (params, { chain }) =>
    chain.engine.rentExemption(params.integer(0, 0, MAX_ACCOUNT_BYTES)),

  getFeeForMessage(params, { chain, read }) {
    const bytes = base64(params.value(0), 'params[0]');
    const reading = read(params.options(1));
    const message = decodeMessage(bytes);
    const { keys } = accountsOf(message, (address) => reading.account(address));
    const isValid = chain.slots.isValid(message.recentBlockhash, reading.stamp);
    return reading.context(isValid ? feeOf(message, keys) : null);
  },

  getRecentPerformanceSamples(params, { chain, read }) {
    const limit = params.value(0) === undefined ? MAX_SAMPLES : params.integer(0, 1, MAX_SAMPLES);
    return performanceSamples(chain, read().stamp, limit);
  },

  getRecentPrioritizationFees(_, { read }) {
    const { slot } = read().stamp;
    const slots = Array.from({ length: Math.min(BLOCKHASH_BLOCKS, slot) }, (_item, back) => slot - back);
    return slots.reverse().map((of) => ({ slot: of, prioritizationFee: 0 }));
  },
};
