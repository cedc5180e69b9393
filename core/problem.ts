/** One reason why a node cannot start: where it is, what is wrong, and a way out. */
export interface Problem {
  /** A plugin's name, a key of plugins.json such as `api.secret`, or a flag. */
  readonly where: string;
  readonly what: string;
  readonly hint?: string;
}

export function describeProblem({ where, what, hint }: Problem): string {
  return `${where}: ${what}${hint ? `; ${hint}` : ''}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
