const FIRST_MS = 20;
/** Of two looks: whoever waits for long must not keep busy what is waited for. */
const LONGEST_MS = 100;
const GROWTH = 1.1;

/** Asks again and again until there is an answer other than undefined; fails after `ms`, naming what did not happen. */
export async function happens<T>(what: string, ask: () => Promise<T | undefined>, ms = 30_000): Promise<T> {
  let pause = FIRST_MS;
  for (const end = performance.now() + ms; ; ) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`did not happen within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(LONGEST_MS, pause * GROWTH);
  }
}
