/** One reason why a node cannot start: where it is, what is wrong, and a way out. */
export interface Problem {
  /** A plugin's name, a key of plugins.json such as `api.secret`, or a flag. */
  readonly where: string;
  readonly what: string;
  readonly hint?: string;
  /** Where it was thrown, for those who ask. */
  readonly stack?: string;
}

export function describeProblem(problem: Problem): string {
  return `${problem.where}: ${whatHelps(problem)}`;
}

/** The fault and its remedy, for a reader who knows where it is. */
export function whatHelps({ what, hint }: Pick<Problem, 'what' | 'hint'>): string {
  return hint ? `${what}; ${hint}` : what;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const OWNER = 'start as the user who owns it, or give it to this one';
const ROOM = 'make room on that disk';
const WAYS: Readonly<Record<string, string>> = {
  EACCES: OWNER,
  EPERM: OWNER,
  EROFS: 'make that file system writable',
  ENOSPC: ROOM,
  EDQUOT: ROOM,
};

/** The remedy where the operating system refused; undefined for all other errors. */
export function remedyOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code !== undefined && Object.hasOwn(WAYS, code) ? WAYS[code] : undefined;
}
