import { base64 } from '../params.ts';
import type { RpcMethods } from '../rpc.ts';

const MAX_JUMP = 1_000_000_000;

/** What no cluster lets anyone do; served only when the localnet was started with `admin`. */
export const adminMethods: RpcMethods = {
  /** `[{ slots?, blocks?, seconds? }]`: time jumps ahead, by one slot and block unless told. Answers the new slot. */
  localnet_warp(params, { chain }) {
    const by = params.options(0);
    const slots = by.integer('slots', 0, MAX_JUMP, 1);
    return chain.warp(slots, by.integer('blocks', 0, MAX_JUMP, 1), by.integer('seconds', 0, MAX_JUMP, 0)).slot;
  },

  /** `[address, { lamports, data, owner, executable? }]`, data in base64. */
  localnet_setAccount(params, { chain }) {
    const state = params.options(1);
    chain.setAccount(params.address(0), {
      lamports: BigInt(state.integer('lamports', 0, Number.MAX_SAFE_INTEGER)),
      data: base64(state.text('data'), 'data'),
      owner: state.address('owner'),
      executable: state.flag('executable'),
    });
    return true;
  },
};
