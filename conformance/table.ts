import type { Verdict } from './judge.ts';

/** One line a judge, then each exception with its reason. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ name, cases, failures, excepted, source }) => [
    failures.length > 0 ? 'FAILS' : 'ok',
    name,
    String(cases),
    String(failures.length),
    String(excepted.reduce((sum, one) => sum + one.cases, 0)),
    source,
  ]);
  const table = [['', 'judge', 'cases', 'failed', 'excepted', 'source'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const reasons = verdicts.flatMap(({ name, excepted }) =>
    excepted.map(({ exception, cases }) => `${name}, ${exception.name} (${cases}): ${exception.reason}`),
  );
  return [...lines, ...(reasons.length > 0 ? ['', 'Exceptions:', ...reasons.map((line) => `  ${line}`)] : [])].join(
    '\n',
  );
}
