/** Waits until something is the case; fails after `ms`, which is long, because a busy machine is slow. */
export async function eventually(check: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  for (const end = performance.now() + ms; !(await check()); ) {
    if (performance.now() > end) throw new Error(`did not happen within ${ms} ms: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
