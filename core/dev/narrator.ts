/** Tells what happens: sentences for people, or one JSON object a line for machines. */
export class Narrator {
  readonly #json: boolean;
  readonly #write: (text: string) => void;
  readonly #now: () => number;

  constructor(json: boolean, write: (text: string) => void, now: () => number) {
    this.#json = json;
    this.#write = write;
    this.#now = now;
  }

  /** One thing that happened; `data` are its ids and amounts. */
  tell(event: string, sentence: string, data: Record<string, unknown> = {}): void {
    const line = { at: new Date(this.#now()).toISOString(), event, ...data };
    this.#write(this.#json ? `${JSON.stringify(line)}\n` : `${sentence}\n`);
  }

  /** Layout that only people need. */
  say(text: string): void {
    if (!this.#json) this.#write(`${text}\n`);
  }
}
