import { readFaults } from '../faults/plan.ts';
import { base64 } from '../params.ts';
import type { RpcMethods } from '../rpc.ts';
import { invalidParams } from '../rpc-error.ts';
import { play } from '../view.ts';

const MAX_JUMP = 1_000_000_000;
const MAX_RENT = 1_000_000;

/** Methods that no cluster has; served only when the localnet was started with `admin`. */
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

  /** `[lamports]`: the price of an account per byte from now on. */
  localnet_setRent(params, { chain }) {
    chain.setRent(BigInt(params.integer(0, 1, MAX_RENT)));
    return true;
  },

  /** `[faults]`: replaces those of every view, in the form of docs/localnet.md. */
  localnet_setFaults(params, { views }) {
    play(views, understood(params.value(0)));
    return true;
  },

  /** How often each fault was played, by view. */
  localnet_faultCounts: (_, { views }) => views.map(({ faults }) => faults.counts),
};

function understood(value: unknown): ReturnType<typeof readFaults> {
  try {
    return readFaults(value);
  } catch (error) {
    throw invalidParams((error as Error).message);
  }
}
