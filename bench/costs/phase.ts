/**
 * What the settlement program costs on the real virtual machine: units of every instruction, lamports of every life cycle,
 * rent of every account.
 */
import { ACCOUNTS } from '../../adapters/ledger-solana/program/layout/accounts.ts';
import { sizeOf, snakeCase } from '../../adapters/ledger-solana/program/layout/fields.ts';
import { INSTRUCTION_NAMES } from '../../adapters/ledger-solana/program/layout/instructions.ts';
import { fixturesOf } from '../../test/program/support/fixtures.ts';
import { World } from '../../test/program/support/world.ts';
import { lifeCycles, type Spent } from './life-cycles.ts';

export interface Costs {
  readonly instructions: Readonly<Record<string, { readonly units: number; readonly bytes: number }>>;
  readonly lives: Readonly<Record<string, Spent>>;
  /** Bytes and rent of every account. */
  readonly rents: Readonly<Record<string, { readonly bytes: number; readonly lamports: number }>>;
}

/** Finding an address costs more with some keys than with others: the cheapest is told. */
const RUNS = 5;

const world = new World();
const fixtures = fixturesOf(world);
const instructions = INSTRUCTION_NAMES.map((name) => {
  const runs = Array.from({ length: RUNS }, () => {
    const prepared = fixtures[name]();
    return world.do(prepared.instructions, prepared.signers);
  });
  const [units, bytes] = [Math.min(...runs.map((run) => run.units)), Math.max(...runs.map((run) => run.bytes))];
  return [snakeCase(name), { units, bytes }] as const;
});
const rents = Object.entries(ACCOUNTS).map(([name, { fields }]) => {
  const bytes = sizeOf(fields);
  return [snakeCase(name), { bytes, lamports: Number(world.svm.rent(bytes)) }] as const;
});
const costs: Costs = {
  instructions: Object.fromEntries(instructions),
  lives: lifeCycles(world),
  rents: Object.fromEntries(rents),
};
process.stdout.write(JSON.stringify(costs));
