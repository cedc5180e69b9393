import type { Clock } from '../platform/clock.ts';

export interface LinesOptions {
  readonly clock: Clock;
  /** Goes through a recipient's line once; gives the moment to look again, or undefined when nothing waits. */
  look(recipient: string, eager: boolean): Promise<number | undefined>;
  failed(error: unknown): void;
}

interface Line {
  /** Cancels the look that is planned. */
  cancel(): void;
  /** The next look tries everything. */
  eager: boolean;
  /** The look going on, and the one that follows it. */
  now?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

const AFTER_FAILURE = 5_000;

/**
 * When which recipient's line is looked at. Kept in memory, one entry for each recipient something waits for: after a
 * restart every line is looked at at once.
 */
export class Lines {
  readonly #options: LinesOptions;
  readonly #lines = new Map<string, Line>();
  #closed = false;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  start(recipients: readonly string[]): void {
    for (const recipient of recipients) void this.serve(recipient);
  }

  /** Looks at a line, after the look that goes on already: those who come meanwhile share the next one. */
  serve(recipient: string): Promise<void> {
    const line = this.#lines.get(recipient) ?? { cancel: () => {}, eager: false };
    this.#lines.set(recipient, line);
    if (!line.now) return this.#begin(recipient, line);
    line.next ??= line.now.then(() => {
      line.next = undefined;
      return this.#begin(recipient, line);
    });
    return line.next;
  }

  /** A recipient can be reached: whatever waits for it is tried. */
  appeared(recipient: string): void {
    const line = this.#lines.get(recipient);
    if (!line) return;
    line.eager = true;
    void this.serve(recipient);
  }

  close(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) line.cancel();
  }

  #begin(recipient: string, line: Line): Promise<void> {
    line.now = this.#look(recipient, line).finally(() => {
      line.now = undefined;
    });
    return line.now;
  }

  async #look(recipient: string, line: Line): Promise<void> {
    if (this.#closed) return;
    const { look, failed, clock } = this.#options;
    const { eager } = line;
    line.eager = false;
    line.cancel();
    const again = await look(recipient, eager).catch((error: unknown) => {
      failed(error);
      return clock.now() + AFTER_FAILURE;
    });
    if (again === undefined && !line.next) this.#lines.delete(recipient);
    if (again === undefined || this.#closed) return;
    line.cancel = clock.after(Math.max(0, again - clock.now()), () => void this.serve(recipient));
  }
}
