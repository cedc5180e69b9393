import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readProgram } from '../../adapters/ledger-solana/program/index.ts';
import { ACCOUNTS } from '../../adapters/ledger-solana/program/layout/accounts.ts';
import { documentPath } from '../../adapters/ledger-solana/program/layout/document.ts';
import { sizeOf, snakeCase } from '../../adapters/ledger-solana/program/layout/fields.ts';
import { INSTRUCTION_NAMES, type InstructionName } from '../../adapters/ledger-solana/program/layout/instructions.ts';
import { fixturesOf } from './support/fixtures.ts';
import { World } from './support/world.ts';

/** Finding an address costs 1500 units for each bump tried, which depends on the keys: this much is left open. */
const BUMP_TRIES = 1500 * 12;

describe('costs', () => {
  const world = new World();
  const fixtures = fixturesOf(world);
  const documented = readFileSync(documentPath, 'utf8').replace(/ +\|/g, ' |');

  function documentedUnits(name: InstructionName): number {
    const row = new RegExp(`^\\| \`${snakeCase(name)}\` \\| (\\d+) \\|`, 'm').exec(documented);
    assert.ok(row, `docs/program.md has no costs of ${name}`);
    return Number(row[1]);
  }

  for (const name of INSTRUCTION_NAMES) {
    it(`of ${name} are near what is documented, and its transaction fits`, () => {
      const runs = Array.from({ length: 5 }, () => {
        const { instructions, signers } = fixtures[name]();
        return world.do(instructions, signers);
      });
      const least = Math.min(...runs.map((run) => run.units));
      const bytes = Math.max(...runs.map((run) => run.bytes));
      if (process.env['VERBOSE']) process.stdout.write(`| \`${snakeCase(name)}\` | ${least} | ${bytes} |\n`);
      assert.ok(bytes <= 1232, `${bytes} bytes`);
      assert.ok(Math.abs(least - documentedUnits(name)) <= BUMP_TRIES, `${least} units`);
    });
  }

  it('of rent are paid for the documented bytes', () => {
    const sizes = Object.entries(ACCOUNTS).map(([name, { fields }]) => [snakeCase(name), sizeOf(fields)] as const);
    for (const [name, size] of [...sizes, ['vault', 165], ['program', readProgram().length + 45]] as const) {
      const row = `| \`${name}\` | ${size} |`;
      if (process.env['VERBOSE']) process.stdout.write(`${row}\n`);
      assert.ok(documented.includes(row), row);
    }
  });
});
