/** What a bench is: a few figures of one part of the mesh, each beside the goal it has. */
export interface Bench<P = void> {
  /** Kebab-case; `npm run bench -- <name>` runs it alone. */
  readonly name: string;
  /** One line for whoever watches. */
  readonly summary: string;
  /** Compares with packages of bench/package.json; left out of `--quick` when those cannot be installed. */
  readonly rivals?: boolean;
  /** Runs only when it is named. */
  readonly onDemand?: boolean;
  /** Left out of `--quick` unless it is named. */
  readonly thorough?: boolean;
  /** What no clock looks at: filling stores, starting, warming up. All benches do it side by side, before any of them runs. */
  prepare?(context: BenchContext): Promise<P>;
  /** Measures, alone on the machine. */
  run(context: BenchContext, prepared: P): Promise<readonly Figure[]>;
}

export interface Figure {
  /** Lower case with underscores, unique over all benches. */
  readonly name: string;
  readonly value: number;
  /** What the value shall be, such as `>= 0.6`; undefined when it is only told. */
  readonly goal?: Goal;
  /** `ratio`, `s`, `MB`, `events/s`, ... */
  readonly unit: string;
  /** The same on every machine: told with all its digits, in a table of its own. */
  readonly exact?: boolean;
  /** What the value was computed from, by name with the unit in it: `{ ours_per_s: 8_000, bare_per_s: 12_000 }`. */
  readonly from?: Readonly<Record<string, number>>;
}

export type Goal = `${'>=' | '<='} ${number}`;

export interface BenchContext {
  readonly quick: boolean;
  /** How many events the small and the large store hold: 10 and 100 thousand in quick runs, else 10 thousand and a million. */
  readonly events: { readonly small: number; readonly large: number };
  /** A new empty folder, gone when all benches have run. */
  folder(): string;
  /**
   * Runs a script of this folder, bundled as the product is, in a process of its own, so that none pays for the
   * garbage of another: `phase('storage/phase.ts', ['load', 'lowdb'])`. It prints one JSON value; rejects when it fails.
   */
  phase<T>(script: string, args?: readonly (string | number)[], options?: PhaseOptions): Promise<T>;
  /** The same for a script that calls `ready` in between: resolves then, to a function that lets it go on. */
  prepared<T>(script: string, args?: readonly (string | number)[]): Promise<Prepared<T>>;
  /** A line for whoever watches. */
  say(line: string): void;
}

/** Lets a script measure, and gives what it printed. */
export type Prepared<T> = () => Promise<T>;

export interface PhaseOptions {
  /** Flags of node itself; `--expose-gc` is always among them. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether a value is what its goal says; true without a goal. */
export function reaches({ value, goal }: Figure): boolean {
  if (goal === undefined) return true;
  const [sign, bound] = goal.split(' ');
  return sign === '>=' ? value >= Number(bound) : value <= Number(bound);
}
