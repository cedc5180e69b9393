import type { Page } from './browser.ts';

/** Milliseconds in which something is met. */
const PATIENCE = 10_000;
/** Milliseconds for which what is pressed stands still, and a page that has settled gets nothing more. */
const STILL = 60;
const QUIET = 200;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** What a person does in a page: reads it, clicks in it with a mouse, or taps with a finger, and types into its fields. */
export class Hands {
  readonly page: Page;
  readonly #touch: boolean;

  constructor(page: Page, { touch = false } = {}) {
    this.page = page;
    this.#touch = touch;
  }

  /** Waits until the page says so. */
  sees(text: string): Promise<void> {
    return this.page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  /** Waits until the page has drawn itself in the place of what its document has, and nothing is loading. */
  async settled(): Promise<void> {
    const isDrawn = "!document.querySelector('.skeleton, main > .sent') && document.querySelector('h1')";
    await this.page.until(isDrawn);
    // Parts that come behind the first frame move those below them.
    await this.page.run(`new Promise((resolve) => {
      const end = performance.now() + ${PATIENCE};
      let timer = setTimeout(resolve, ${QUIET});
      new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(resolve, performance.now() > end ? 0 : ${QUIET});
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await this.page.until(isDrawn);
  }

  /** Presses the mouse in the middle of what a person finds by this name: a button, a link, a summary. Waits for it. */
  async clicks(name: string | RegExp, within = 'body'): Promise<void> {
    const pattern = typeof name === 'string' ? `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` : name.source;
    const found = `[...document.querySelectorAll(${JSON.stringify(within)})].flatMap((one) => [...one.querySelectorAll('a, button, summary')])
      .find((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && new RegExp(${JSON.stringify(pattern)}).test((one.getAttribute('aria-label') ?? one.innerText).trim()))`;
    await this.presses(found);
  }

  /** Presses in the middle of the element that an expression gives, once it stands still. Waits for it. */
  async presses(found: string): Promise<void> {
    const place = await this.#placeOf(found);
    if (this.#touch) {
      await this.page.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [place] });
      await this.page.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      return;
    }
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.page.send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
  }

  async #placeOf(found: string): Promise<Place> {
    const place = `(async () => {
      const one = ${found};
      if (!one) return null;
      one.scrollIntoView({ block: 'center' });
      const middle = () => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      };
      const before = middle();
      await new Promise((resolve) => setTimeout(resolve, ${STILL}));
      const now = middle();
      return one.isConnected && now.x === before.x && now.y === before.y ? now : null;
    })()`;
    for (const end = Date.now() + PATIENCE; ; ) {
      await this.page.until(found);
      // A page that is left takes the question with it.
      const still = await this.page.run<Place | null>(place).catch(() => null);
      if (still) return still;
      if (Date.now() > end) throw new Error(`it never stood still: ${found}`);
    }
  }

  /** Types into the field of that label, in place of what is there. */
  async types(label: string, text: string): Promise<void> {
    const field = `[...document.querySelectorAll('label')].find((one) => one.checkVisibility() && one.innerText.trim() === ${JSON.stringify(label)})?.control`;
    await this.page.until(field);
    // What comes in above a field moves it from under the pointer; a person presses again.
    for (const end = Date.now() + PATIENCE; ; ) {
      await this.presses(field);
      if (await this.page.run(`document.activeElement === ${field}`)) break;
      if (Date.now() > end) throw new Error(`the field ${label} was never met`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await this.page.run(`${field}.select()`);
    await this.page.send('Input.insertText', { text });
  }

  /** Shows the secret of a node, at whose root a guest stands. */
  async enters(url: string, secret: string): Promise<void> {
    await this.page.go(url);
    await this.types('API secret', secret);
    await this.clicks('Open the console');
    await this.page.until(
      "!document.querySelector('#menu').hidden && document.querySelector('#pill').innerText === 'live'",
    );
    await this.settled();
  }
}
