import assert from 'node:assert/strict';
import type { Member } from '../../support/mesh.ts';

/** Epochs of 100 seconds, and everything else to match. */
export const SHORT_EPOCHS = {
  epochSecs: 100,
  challengeSecs: 500,
  responseSecs: 300,
  responseSlots: 30,
  unlockSecs: 700,
  inactiveSlots: 50,
  announceSlots: 2,
};

export async function stake(member: Member, usdc: string): Promise<void> {
  const { status, body } = await member.post('/stake/add', { amount_usdc: usdc });
  assert.equal(status, 200, JSON.stringify(body));
}
