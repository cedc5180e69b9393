/**
 * Lets one reader sleep until there may be something new. A ring while it is awake is remembered, so nothing is missed
 * between looking and sleeping. The end of the signal rings it too.
 */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.#rung = true;
    else signal.addEventListener('abort', () => this.ring(), { once: true });
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
}
