import { describeProblem, type Problem } from '../../platform/problem.ts';
import type { Profile } from '../../plugin.ts';

/** How one plugin (or part of the profile) came up. */
export interface PluginReport {
  readonly name: string;
  /** `core`, `built-in`, `file` or `package`. */
  readonly from: string;
  readonly version?: string;
  readonly state: 'ok' | 'out';
  /** Why it is out. */
  readonly detail?: string;
  /** Milliseconds its setup took. */
  readonly ms: number;
  readonly routes: number;
  readonly streams: number;
  /** The permissions that it holds. */
  readonly permissions: readonly string[];
}

export interface BootReport {
  readonly profile: Profile;
  readonly version: string;
  readonly url?: string;
  readonly plugins: readonly PluginReport[];
  /** Notes of providers about themselves, such as the guarantees of the store. */
  readonly notes: readonly string[];
  /** Every reason why it did not start; empty when it did. */
  readonly problems: readonly Problem[];
}

/** The node did not start. The report names every reason found; nothing was left open. */
export class BootError extends Error {
  override name = 'BootError';
  readonly problems: readonly Problem[];
  readonly report: BootReport;

  constructor(report: BootReport) {
    const list = report.problems.map((problem) => `  - ${describeProblem(problem)}`);
    super(`the node cannot start:\n${list.join('\n')}`);
    this.problems = report.problems;
    this.report = report;
  }
}

/** The report as lines for people. */
export function describeReport({ profile, version, url, plugins, notes }: BootReport): string {
  const lines = plugins.map((plugin) => {
    const name = `${plugin.name}${plugin.version ? ` ${plugin.version}` : ''} (${plugin.from})`;
    if (plugin.state === 'out') return `  ${name}: left out; ${plugin.detail}`;
    const may = plugin.permissions.length > 0 ? `, may ${plugin.permissions.join(', ')}` : '';
    return `  ${name}: ${plugin.routes} routes, ${plugin.streams} streams, ${plugin.ms} ms${may}`;
  });
  return [`${profile} ${version}${url ? ` at ${url}` : ''}`, ...lines, ...notes.map((note) => `  ${note}`)].join('\n');
}
