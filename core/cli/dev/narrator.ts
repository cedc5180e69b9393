/** Wide enough for every name that stands at the beginning of a line, unless another width is given. */
const NAME = 14;

/** Tells what happens: sentences for people, or one JSON object a line for machines. */
export class Narrator {
  readonly #json: boolean;
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  readonly #width: number;
  /** The deal whose steps are being told. */
  #deal: string | undefined;

  constructor(json: boolean, write: (text: string) => void, now: () => number, width = NAME) {
    this.#json = json;
    this.#write = write;
    this.#now = now;
    this.#width = width;
  }

  /** One thing that happened; `data` are its ids and amounts, for machines. */
  tell(event: string, sentence: string, data: Readonly<Record<string, unknown>> = {}): void {
    const line = { at: new Date(this.#now()).toISOString(), event, ...data };
    this.#write(this.#json ? `${JSON.stringify(line)}\n` : `${sentence}\n`);
  }

  /** Something somebody did, or something there is. */
  line(event: string, name: string, text: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.tell(event, `  ${name.padEnd(this.#width)}${text}`, data);
  }

  /** The same, as a part of a deal; the lines of one deal stand together. */
  ofDeal(deal: string, event: string, name: string, text: string, data: Readonly<Record<string, unknown>> = {}): void {
    if (this.#deal !== deal) this.say(`\ndeal ${deal}`);
    this.#deal = deal;
    this.line(event, name, text, { conversation_id: deal, ...data });
  }

  /** Layout that only people need. */
  say(text: string): void {
    this.#deal = undefined;
    if (!this.#json) this.#write(`${text}\n`);
  }
}
