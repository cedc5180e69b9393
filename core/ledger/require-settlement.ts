import { MeshError } from '../contracts/errors.ts';
import type { Ledger } from './ledger.ts';
import type { Settlement } from './settlement.ts';

/** The settlement program, for what needs it; fails with `ledger_program_missing`, or `ledger_unavailable` without a ledger. */
export function requireSettlement(ledger: Ledger | undefined): Settlement {
  if (ledger?.settlement) return ledger.settlement;
  if (!ledger) throw new MeshError('ledger_unavailable', 'This node has no ledger: give --rpc-url.');
  throw new MeshError(
    'ledger_program_missing',
    `The settlement program is not configured for ${ledger.cluster.name}: deploy it with "mesh program deploy", then set ledger.program and ledger.config.`,
  );
}
