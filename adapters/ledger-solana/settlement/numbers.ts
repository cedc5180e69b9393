import type { SettlementNumbers } from '../../../core/protocol/settlement/numbers.ts';
import { type Numbers, PROTOCOL_NUMBERS } from '../program/index.ts';

/** The numbers of a config account in the units of the port. The program bounds every duration far below 2^53. */
export function portNumbers(numbers: Numbers): SettlementNumbers {
  return {
    epochSecs: Number(numbers.epochSecs),
    challengeSecs: Number(numbers.challengeSecs),
    responseSecs: Number(numbers.responseSecs),
    responseSlots: Number(numbers.responseSlots),
    announceSlots: Number(numbers.announceSlots),
    unlockSecs: Number(numbers.unlockSecs),
    submitGap: Number(numbers.submitGap),
    skipLimit: Number(numbers.skipLimit),
    inactiveEpochs: Number(numbers.inactiveEpochs),
    inactiveSlots: Number(numbers.inactiveSlots),
    minStake: numbers.minStake,
    bountyCap: numbers.bountyCap,
    accuseDeposit: numbers.accuseDeposit,
    answerReward: numbers.answerReward,
    leasePrice: numbers.leasePrice,
    leaseMaxEpochs: Number(numbers.leaseMaxEpochs),
    graceEpochs: Number(numbers.graceEpochs),
    leadSecs: Number(numbers.leadSecs),
    horizonSecs: Number(numbers.horizonSecs),
    reviewMinSecs: Number(numbers.reviewMinSecs),
    reviewMaxSecs: Number(numbers.reviewMaxSecs),
    disputeSecs: Number(numbers.disputeSecs),
  };
}

export function programNumbers(numbers: SettlementNumbers): Numbers {
  const entries = Object.entries(numbers).map(([name, value]) => [name, BigInt(value)]);
  return Object.fromEntries(entries) as Numbers;
}

/** The numbers of the protocol, with those of a test in their place. */
export function protocolNumbers(changed: Partial<SettlementNumbers> = {}): SettlementNumbers {
  return { ...portNumbers(PROTOCOL_NUMBERS), ...changed };
}
