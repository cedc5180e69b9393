import { internalToken } from '../../platform/token.ts';
import type { Job } from '../../plugin.ts';
import type { EscrowSteps } from '../escrow/escrow-steps.ts';
import type { EscrowWatch } from '../escrow/escrow-watch.ts';

/** This node's work with escrows; `open` is undefined where there is no settlement program. */
export interface Escrows {
  readonly jobs: readonly Job[];
  readonly open: { readonly steps: EscrowSteps; readonly watch: EscrowWatch } | undefined;
}

export const Escrows = internalToken<Escrows>('escrows');
