const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings, so they must be named.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const BLANK = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const WORDS = { true: true, false: false, null: null } as const;
const DEEPEST = 100;

/**
 * Reads JSON in which there may be comments and a comma behind the last member, as people write it. A mistake is thrown as a
 * sentence with its line and column; so is a member that is given twice, of which JSON keeps the last without a word.
 */
export function parseJsonc(text: string): unknown {
  return new Reader(text).whole();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, ' ');
  }

  whole(): unknown {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('nothing may follow the value');
    return value;
  }

  #value(): unknown {
    this.#skip();
    const next = this.#text[this.#at];
    if (next === '{') return this.#nested(() => this.#object());
    if (next === '[') return this.#nested(() => this.#list());
    if (next === '"') return this.#string();
    const number = this.#take(NUMBER);
    if (number !== undefined) return Number(number);
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#fail(next === undefined ? 'the file ends too early' : `a value cannot begin with ${next}`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) this.#fail(`more than ${DEEPEST} levels`);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): object {
    const made: Record<string, unknown> = {};
    while (!this.#ends('}')) {
      const at = this.#at;
      if (this.#text[at] !== '"') this.#fail('a member must begin with its name in double quotes');
      const name = this.#string();
      if (Object.hasOwn(made, name)) this.#fail(`"${name}" is given twice`, at);
      this.#skip();
      if (this.#text[this.#at] !== ':') this.#fail(`a colon is missing behind "${name}"`);
      this.#at += 1;
      const value = this.#value();
      Object.defineProperty(made, name, { value, configurable: true, enumerable: true, writable: true });
      this.#separate('}');
    }
    return made;
  }

  #list(): unknown[] {
    const made: unknown[] = [];
    while (!this.#ends(']')) {
      made.push(this.#value());
      this.#separate(']');
    }
    return made;
  }

  #ends(bracket: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at += 1;
    return true;
  }

  /** A comma, or the end right behind. */
  #separate(bracket: string): void {
    this.#skip();
    if (this.#text[this.#at] === ',') this.#at += 1;
    else if (this.#text[this.#at] !== bracket) this.#fail(`a comma or ${bracket} is missing`);
  }

  #string(): string {
    const found = this.#take(STRING);
    if (found === undefined) return this.#fail('this string does not end on its line');
    try {
      return JSON.parse(found) as string;
    } catch {
      return this.#fail('this string has an escape that JSON does not know', this.#at - found.length);
    }
  }

  #skip(): void {
    this.#take(BLANK);
    if (this.#text.startsWith('/*', this.#at)) this.#fail('this comment does not end');
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(what: string, at = this.#at): never {
    const before = this.#text.slice(0, at).split('\n');
    throw new SyntaxError(`line ${before.length}, column ${before.at(-1)!.length + 1}: ${what}`);
  }
}
