/** Waits until something is the case; fails after `ms`. */
export async function eventually(check: () => boolean, ms = 10_000): Promise<void> {
  for (const end = performance.now() + ms; !check(); ) {
    if (performance.now() > end) throw new Error(`did not happen within ${ms} ms: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
