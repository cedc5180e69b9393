import { once } from 'node:events';

/**
 * Called by a script that `BenchContext.prepared` runs, once everything is started, connected and warm: resolves when the
 * machine is its own. A script that was started by hand goes on at once.
 */
export async function ready(): Promise<void> {
  if (!process.send) return;
  process.send('ready');
  const told = await Promise.race([once(process, 'message'), once(process, 'disconnect').then(() => undefined)]);
  if (!told) process.exit();
  process.disconnect();
}
