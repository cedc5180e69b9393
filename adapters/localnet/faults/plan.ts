import { type Contracts, loadContracts } from '../../../core/contracts/contracts.ts';
import type { RpcFaultRule, RpcFaults, RpcFaultView } from '../../../schemas/types.ts';

/** The planned faults of one view; schemas/localnet.json describes the members. */
export type FaultPlan = Omit<RpcFaultView, 'port'>;
export type FaultRule = RpcFaultRule;
export type { RpcFaults } from '../../../schemas/types.ts';

let contracts: Contracts | undefined;

/** Checks a plan from outside; throws one sentence that names every wrong field. */
export function readFaults(value: unknown): RpcFaults {
  contracts ??= loadContracts();
  const problems = contracts.problems('rpc-faults', value);
  if (problems.length === 0) return value as RpcFaults;
  const fields = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
  throw new Error(`These RPC faults cannot be played: ${fields}.`);
}
