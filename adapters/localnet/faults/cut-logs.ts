const TRUNCATED = 'Log truncated';

/** Logs as a node with that limit keeps them: a line that does not fit is left out, and said once; a later one may fit. */
export function cutLogs(logs: readonly string[], limit: number): readonly string[] {
  let bytes = 0;
  let isCut = false;
  const kept: string[] = [];
  for (const line of logs) {
    if (line !== TRUNCATED && bytes + Buffer.byteLength(line) < limit) {
      bytes += Buffer.byteLength(line);
      kept.push(line);
    } else if (!isCut) {
      isCut = true;
      kept.push(TRUNCATED);
    }
  }
  return kept;
}
