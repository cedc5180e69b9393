import type { CommitBatch, CommitResult, DocumentRef, Row } from '../../core/storage/adapter.ts';
import { Staging } from '../../core/storage/staging.ts';
import type { State } from './state.ts';

/** A commit that waits for its turn. */
export interface Waiting {
  readonly batch: CommitBatch;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of effects in one journal frame, about; more waits for the next. */
const GROUP_BYTES = 4 * 1024 * 1024;

/** How many of the waiting commits go into one frame: at least one. */
export function fitting(waiting: readonly Waiting[]): number {
  let bytes = 0;
  for (const [i, { batch }] of waiting.entries()) {
    for (const effect of batch.effects) bytes += 'value' in effect ? effect.value.length : 64;
    if (bytes > GROUP_BYTES) return Math.max(1, i);
  }
  return waiting.length;
}

/** Checks commits, turns them into changes, and reads the documents that applying those needs. */
export function stage(data: State, batches: readonly CommitBatch[]) {
  data.tables.expire();
  const refs = batches.flatMap(({ checks, effects }) => [
    ...checks,
    ...effects.filter((effect) => effect.kind === 'put' || effect.kind === 'delete'),
  ]);
  const beneath = data.tables.beneath(refs);
  const { commits, logs, totals, floor } = data.tables;
  const document = (ref: DocumentRef) => data.tables.current(ref, beneath);
  const staging = new Staging({ commits, logs, totals, floor, document });
  const staged = batches.map((batch) => staging.stage(batch));
  return { staging, staged, beneath };
}

export function rowOf({ value, version }: Row): Row {
  return { value, version };
}
