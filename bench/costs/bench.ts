import type { Bench } from '../framework/bench.ts';
import type { Costs } from './phase.ts';

/** What the settlement program costs. The same on every machine. */
export const bench: Bench<Costs> = {
  name: 'costs',
  summary: 'compute units of every instruction, lamports of every life cycle and rent of every account of the program',
  // The same at every size, and held against docs/program.md by every test run.
  thorough: true,
  prepare: ({ phase }) => phase<Costs>('costs/phase.ts'),
  async run(_context, { instructions, lives, rents }) {
    return [
      ...Object.entries(instructions).map(([name, { units, bytes }]) => ({
        ...{ name: `units_${name}`, value: units, unit: 'compute units', exact: true },
        from: { bytes },
      })),
      ...Object.entries(lives).map(([name, spent]) => ({
        ...{ name: `lamports_${name}`, unit: 'lamports', exact: true },
        value: Object.values(spent).reduce((sum, lamports) => sum + lamports, 0),
        from: spent,
      })),
      ...Object.entries(rents).map(([name, { bytes, lamports }]) => ({
        ...{ name: `rent_${name}`, value: lamports, unit: 'lamports', exact: true },
        from: { bytes },
      })),
    ];
  },
};
