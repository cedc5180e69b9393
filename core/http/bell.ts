/**
 * Lets one reader sleep until there may be something new. A ring while it is awake is remembered, so nothing is missed
 * between looking and sleeping. The end of the signal rings it too.
 */
export class Bell {
  #rung = false;
  #over = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.#end();
    else signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Whether the signal was aborted; asking the signal itself costs more. */
  get over(): boolean {
    return this.#over;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, or at once when it was rung since the last time. */
  async rung(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    this.#rung = false;
  }

  #end(): void {
    this.#over = true;
    this.ring();
  }
}
