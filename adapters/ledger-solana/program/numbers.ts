import { ONE_USDC } from '../../../core/platform/usdc.ts';
import type { Numbers } from './layout/accounts.ts';

const MINUTE = 60n;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
const LAMPORTS_PER_SOL = 1_000_000_000n;

/** The numbers of the protocol, for a deployment that is not a test. */
export const PROTOCOL_NUMBERS: Numbers = {
  epochSecs: DAY,
  challengeSecs: 5n * DAY,
  responseSecs: 3n * DAY,
  responseSlots: 324_000n,
  announceSlots: 32n,
  unlockSecs: 7n * DAY,
  submitGap: 3n,
  skipLimit: 2n,
  inactiveEpochs: 5n,
  inactiveSlots: 432_000n,
  minStake: 10n * ONE_USDC,
  bountyCap: 50n * ONE_USDC,
  accuseDeposit: LAMPORTS_PER_SOL / 50n,
  answerReward: LAMPORTS_PER_SOL / 1000n,
  leasePrice: ONE_USDC,
  leaseMaxEpochs: 30n,
  graceEpochs: 3n,
  leadSecs: MINUTE,
  horizonSecs: 90n * DAY,
  reviewMinSecs: HOUR,
  reviewMaxSecs: 14n * DAY,
  disputeSecs: 3n * DAY,
};
