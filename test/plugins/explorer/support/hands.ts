import type { Page } from './browser.ts';

/** Milliseconds in which a field is met. */
const PATIENCE = 10_000;

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
  settled(): Promise<void> {
    return this.page.until("!document.querySelector('.skeleton, main > .sent') && document.querySelector('h1')");
  }

  /** Presses the mouse in the middle of what a person finds by this name: a button, a link, a summary. Waits for it. */
  async clicks(name: string | RegExp, within = 'body'): Promise<void> {
    const pattern = typeof name === 'string' ? `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` : name.source;
    const found = `[...document.querySelectorAll(${JSON.stringify(within)})].flatMap((one) => [...one.querySelectorAll('a, button, summary')])
      .find((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && new RegExp(${JSON.stringify(pattern)}).test((one.getAttribute('aria-label') ?? one.innerText).trim()))`;
    await this.presses(found);
  }

  /** Presses in the middle of the element that an expression gives. Waits for it. */
  async presses(found: string): Promise<void> {
    await this.page.until(found);
    const place = await this.page.run<{ x: number; y: number }>(`(() => {
      const one = ${found};
      one.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    if (this.#touch) {
      await this.page.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [place] });
      await this.page.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      return;
    }
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.page.send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
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
