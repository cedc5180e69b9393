/** The numbers of a deployment, set once in its config account. Durations in seconds, USDC in minor units. */
export interface SettlementNumbers {
  readonly epochSecs: number;
  /** How long after its submission a batch can be accused. */
  readonly challengeSecs: number;
  /** How long an accusation can only be answered; both of seconds and slots must have passed to convict. */
  readonly responseSecs: number;
  readonly responseSlots: number;
  /** Slots from the announcement of an accusation to the accusation. */
  readonly announceSlots: number;
  /** From the request to unlock to the withdrawal. */
  readonly unlockSecs: number;
  /** Largest step from one batch to the next, in epochs; at most `skipLimit` epochs of the last 32 are skipped. */
  readonly submitGap: number;
  readonly skipLimit: number;
  /** An agent with duties can be slashed this many epochs, and as many slots, after its last batch. */
  readonly inactiveEpochs: number;
  readonly inactiveSlots: number;
  readonly minStake: bigint;
  readonly bountyCap: bigint;
  /** Lamports. */
  readonly accuseDeposit: bigint;
  /** Lamports. */
  readonly answerReward: bigint;
  /** Lease of one epoch. */
  readonly leasePrice: bigint;
  readonly leaseMaxEpochs: number;
  readonly graceEpochs: number;
  /** Bounds of an escrow's deadline, counted from its lock. */
  readonly leadSecs: number;
  readonly horizonSecs: number;
  readonly reviewMinSecs: number;
  readonly reviewMaxSecs: number;
  /** How long a dispute can be contested, and a contest decided; then anyone may split. */
  readonly disputeSecs: number;
}
