export type Labels = Readonly<Record<string, string>>;
/** Adds `by` (1 unless given) to the series with these labels. */
export type Count = (labels?: Labels, by?: number) => void;

/** Counters of this node, shown at `/metrics`. Label values must come from a small fixed set, never from callers. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Count;
  /** A value read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void;
  /** One value for each of a small fixed set of names, under one label. */
  gauges(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void;
  /** Durations in seconds. */
  histogram(name: string, help: string, labels?: readonly string[]): (seconds: number, labels?: Labels) => void;
}
