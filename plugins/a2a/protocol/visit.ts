import type { Desk } from '../desks/desk.ts';

/** One admitted request at the address of an agent. */
export interface Visit {
  /** The owner of the tasks that are seen. */
  readonly caller: string;
  readonly agent: string;
  readonly desk: Desk;
  /** The address of a guest; empty for everybody else. */
  readonly network: string;
  readonly signal: AbortSignal;
}

/** Names the tasks of a caller with an agent. */
export function scopeOf({ caller, agent }: Pick<Visit, 'caller' | 'agent'>): string {
  return `${caller}/${agent}`;
}

/** The caller of a scope. */
export function callerOf(scope: string): string {
  return scope.slice(0, scope.indexOf('/'));
}
