import { messageOf, type Problem } from '../../platform/problem.ts';
import { setUpFace } from './faces.ts';
import type { Plan } from './plan.ts';
import type { RunningParts } from './running.ts';

/**
 * Sets every face up in order. After a failure the others are still set up, so that all failures are known at once;
 * a failing optional plugin is left out instead.
 */
export async function openFaces(plan: Plan, parts: RunningParts): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const planned of plan.faces) {
    try {
      parts.stand(await setUpFace(planned, parts.faceTools()));
    } catch (error) {
      if (planned.loaded.optional) parts.leaveOut(planned.name, messageOf(error));
      else problems.push({ where: planned.name, what: messageOf(error), ...stackOf(error) });
    }
  }
  return problems;
}

/** Where a face itself failed, rather than what called it. */
function stackOf(error: unknown): { stack?: string } {
  const thrown = error instanceof Error ? (error.cause ?? error) : undefined;
  return thrown instanceof Error && thrown.stack !== undefined ? { stack: thrown.stack } : {};
}
