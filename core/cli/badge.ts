import { writeFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/problem.ts';
import { VERSION } from '../platform/version.ts';
import { PLUGIN_API } from '../plugin.ts';
import { Failure } from './command.ts';

/** The result of one clause of the plugin contract. */
export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

export interface Judged {
  readonly name: string;
  readonly version: string | undefined;
  readonly permissions: readonly string[];
  readonly outcomes: readonly Outcome[];
}

/** The badge of a plugin; docs/plugin-guide.md promises its shape. The same plugin on the same day gives the same bytes. */
export function badgeOf({ name, version, permissions, outcomes }: Judged, clock: Clock): object {
  return {
    badge: 1,
    plugin: name,
    version: version ?? null,
    contract: PLUGIN_API,
    agent_mesh: VERSION,
    date: new Date(clock.now()).toISOString().slice(0, 10),
    ok: outcomes.every(({ ok }) => ok),
    permissions: [...permissions].sort(),
    clauses: outcomes.map((outcome) => ({
      name: outcome.name,
      ok: outcome.ok,
      problems: outcome.problems.map(fromHere),
    })),
  };
}

/** Places as on every machine. */
function fromHere(problem: string): string {
  return problem.replaceAll(`${resolve('.')}${sep}`, '');
}

/** Writes it whether the contract is kept or not: it says which. */
export function writeBadge(file: string, judged: Judged, clock: Clock): void {
  try {
    writeFileSync(file, `${JSON.stringify(badgeOf(judged, clock), null, 2)}\n`);
  } catch (error) {
    throw new Failure(`the badge cannot be written: ${messageOf(error)}`, {}, error);
  }
}
