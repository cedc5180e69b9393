/**
 * The time of the server, reckoned from what it last told and from what has passed here since, whatever becomes of the machine's
 * clock. It is behind the server's by no more than an answer took, and never ahead unless that clock was set back since.
 */
export class ServerTime {
  #offset: number | undefined;

  /** The server has just told its time, in Unix milliseconds. */
  learn(told: number): void {
    this.#offset = told - performance.now();
  }

  now(): number | undefined {
    return this.at(performance.now());
  }

  /** The server's time at a moment of `performance.now()`. */
  at(moment: number): number | undefined {
    return this.#offset === undefined ? undefined : Math.floor(moment + this.#offset);
  }
}
