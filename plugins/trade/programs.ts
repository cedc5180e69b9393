/** The ledger's own for SOL, tokens and memos; their effects show in what is rehearsed. */
const PLAIN: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/** Why a transaction that could call these programs is refused, each the end of "it …"; nothing where the operator allows any. */
export function programFaults(programs: readonly string[], allowed: readonly string[] | undefined): string[] {
  if (!allowed) return [];
  return programs
    .filter((program) => !PLAIN.has(program) && !allowed.includes(program))
    .map((program) => `could call ${program}, which plugins.trade.programs does not list`);
}
