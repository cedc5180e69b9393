import { MeshError } from '../errors.ts';
import type { Ledger } from './ledger.ts';
import type { Settlement } from './settlement.ts';

/** The settlement program, for what needs it; fails with `ledger_program_missing`. */
export function requireSettlement(ledger: Ledger | undefined): Settlement {
  if (ledger?.settlement) return ledger.settlement;
  const detail = ledger
    ? `The settlement program is not configured for ${ledger.cluster.name}: deploy it with "mesh program deploy", then set ledger.program and ledger.config.`
    : 'This node has no ledger: give --rpc-url.';
  throw new MeshError('ledger_program_missing', detail);
}
