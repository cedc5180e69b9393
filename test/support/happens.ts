/** Asks again and again until there is an answer other than undefined; fails after `ms`, naming what did not happen. */
export async function happens<T>(what: string, ask: () => Promise<T | undefined>, ms = 30_000): Promise<T> {
  for (const end = performance.now() + ms; ; ) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`did not happen within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
