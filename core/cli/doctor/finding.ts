/** `fail` keeps a node from starting or from doing what it is configured for; `warn` is worth knowing. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** The part that the doctor looked at, such as `port` or `aggregator`. */
  readonly name: string;
  readonly text: string;
  /** The operator's next step against the fault. */
  readonly remedy?: string;
}

export function ok(name: string, text: string): Finding {
  return { state: 'ok', name, text };
}

export function warn(name: string, text: string, remedy?: string): Finding {
  return { state: 'warn', name, text, ...(remedy !== undefined && { remedy }) };
}

export function fail(name: string, text: string, remedy?: string): Finding {
  return { state: 'fail', name, text, ...(remedy !== undefined && { remedy }) };
}
