import { readFileSync } from 'node:fs';
import type { SettlementNumbers } from '../protocol/settlement/numbers.ts';
import { UsageError } from './command.ts';

const AMOUNTS = ['minStake', 'bountyCap', 'accuseDeposit', 'answerReward', 'leasePrice'] as const;
const COUNTS = [
  'epochSecs',
  'challengeSecs',
  'responseSecs',
  'responseSlots',
  'announceSlots',
  'unlockSecs',
  'submitGap',
  'skipLimit',
  'inactiveEpochs',
  'inactiveSlots',
  'leaseMaxEpochs',
  'graceEpochs',
  'leadSecs',
  'horizonSecs',
  'reviewMinSecs',
  'reviewMaxSecs',
  'disputeSecs',
] as const satisfies readonly Exclude<keyof SettlementNumbers, (typeof AMOUNTS)[number]>[];

/** Numbers of a deployment in a JSON file, by the names of docs/program.md in camel case. */
export function numbersOf(path: string): Partial<SettlementNumbers> {
  const given = readObject(path);
  const entries = Object.entries(given).map(([name, value]) => {
    if (!Number.isSafeInteger(value) || Number(value) < 0) throw new UsageError(`${path}: ${name} is no whole number`);
    if ((AMOUNTS as readonly string[]).includes(name)) return [name, BigInt(value as number)];
    if ((COUNTS as readonly string[]).includes(name)) return [name, value];
    throw new UsageError(`${path}: there is no number ${name}; there are ${[...AMOUNTS, ...COUNTS].join(', ')}`);
  });
  return Object.fromEntries(entries) as Partial<SettlementNumbers>;
}

function readObject(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} must hold a JSON object`);
}
