import { VersionedMessage } from '@solana/web3.js';
import { accountsOf } from '../accounts-of.ts';
import { ENGINE_VERSION } from '../engine.ts';
import { feeOf } from '../fee.ts';
import { base64 } from '../params.ts';
import { type RpcMethods, withContext } from '../rpc.ts';
import { invalidParams } from '../rpc-error.ts';
import { BLOCKHASH_BLOCKS, SLOTS_PER_EPOCH } from '../slots.ts';
import { MAX_TRANSACTION_BYTES } from '../wire.ts';

const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;

export const clusterMethods: RpcMethods = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '2.2.0', 'feature-set': 0, engine: `litesvm ${ENGINE_VERSION}` }),
  getGenesisHash: (_, { chain }) => chain.genesisHash,
  getSlot: (_, { chain }) => chain.slots.now().slot,
  getBlockHeight: (_, { chain }) => chain.slots.now().height,
  getFirstAvailableBlock: (_, { chain }) => chain.history.firstSlot,
  getTransactionCount: (_, { chain }) => chain.length,

  getBlockTime(params, { chain }) {
    const { slot, unix } = chain.slots.now();
    return params.integer(0, 0, Number.MAX_SAFE_INTEGER) <= slot ? unix : null;
  },

  getEpochInfo(_, { chain }) {
    const { slot, height } = chain.slots.now();
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.length,
    };
  },

  getLatestBlockhash: (_, { chain }) => withContext(chain, chain.slots.latestBlockhash()),
  isBlockhashValid: (params, { chain }) => withContext(chain, chain.slots.isValid(params.address(0))),

  getMinimumBalanceForRentExemption: (params, { chain }) =>
    chain.engine.rentExemption(params.integer(0, 0, MAX_ACCOUNT_BYTES)),

  getFeeForMessage(params, { chain }) {
    const bytes = base64(params.value(0), 'params[0]');
    if (bytes.length > MAX_TRANSACTION_BYTES) throw invalidParams('params[0] is too long');
    const message = parseMessage(bytes);
    const { keys } = accountsOf(message, (address) => chain.engine.account(address));
    return withContext(chain, chain.slots.isValid(message.recentBlockhash) ? feeOf(message, keys) : null);
  },

  getRecentPrioritizationFees(_, { chain }) {
    const { slot } = chain.slots.now();
    const slots = Array.from({ length: Math.min(BLOCKHASH_BLOCKS, slot) }, (_item, back) => slot - back);
    return slots.reverse().map((of) => ({ slot: of, prioritizationFee: 0 }));
  },
};

function parseMessage(bytes: Buffer): VersionedMessage {
  try {
    return VersionedMessage.deserialize(bytes);
  } catch {
    throw invalidParams('params[0] must be a message');
  }
}
