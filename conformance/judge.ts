/** Why cases that a judge fails are right all the same. */
export interface Exception {
  /** The beginning of the names of the cases it is about. */
  readonly name: string;
  readonly reason: string;
}

export interface Failure {
  readonly name: string;
  readonly found: string;
}

/** A judge found these; `verdictOf` takes the exceptions out. */
export interface Findings {
  readonly cases: number;
  readonly failures: readonly Failure[];
}

/** Options of `npm run conformance` that judges read. */
export interface Given {
  /** A folder with A2A's Technology Compatibility Kit. */
  readonly tck?: string;
}

/** Somebody else's opinion of the product: a public suite, a linter, a fuzzer. */
export interface Judge {
  readonly name: string;
  /** Where the judgement comes from, with its version when it is pinned elsewhere. */
  readonly source: string;
  readonly exceptions: readonly Exception[];
  /** Tells how to get what this judge needs and was not given; undefined when it can begin. */
  readonly needs?: (given: Given) => string | undefined;
  judge(given: Given): Promise<Findings>;
}

export interface Verdict {
  readonly name: string;
  readonly source: string;
  readonly cases: number;
  readonly failures: readonly Failure[];
  readonly excepted: readonly { readonly exception: Exception; readonly cases: number }[];
}

/** An exception that no case meets any more is a failure too: it would hide the next one. */
export function verdictOf({ name, source, exceptions }: Judge, { cases, failures }: Findings): Verdict {
  const left: Failure[] = [];
  const met = new Map<Exception, number>();
  for (const failure of failures) {
    const exception = exceptions.find((one) => failure.name.startsWith(one.name));
    if (exception) met.set(exception, (met.get(exception) ?? 0) + 1);
    else left.push(failure);
  }
  for (const exception of exceptions) {
    if (!met.has(exception))
      left.push({ name: exception.name, found: 'the exception is listed, but no case needs it' });
  }
  if (cases === 0) left.push({ name, found: 'the judge looked at nothing' });
  return { name, source, cases, failures: left, excepted: [...met].map(([exception, n]) => ({ exception, cases: n })) };
}
