import { adapters } from '../../../adapters/index.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';

/**
 * One of several aggregators on one Redis: `process.js <settings as JSON> <milliseconds that its clock is ahead>`. Says `{ url }`, or `{ problem }`, to
 * its parent, which may `shift` its clock.
 */
if (process.send && process.argv[2]) {
  const value = JSON.parse(process.argv[2]);
  process.once('disconnect', () => process.exit());
  try {
    const config = { folder: value.dataDir, value };
    const parts = { adapters, plugins, standard };
    const clock = new ShiftedClock();
    clock.shift(Number(process.argv[3] ?? 0));
    process.on('message', ({ shift }: { shift: number }) => clock.shift(shift));
    const node = await startNode({ parts, log: silentLog, grace: 5_000, config, clock });
    process.once('SIGTERM', async () => {
      const problems = await node.stop();
      process.exit(problems.length);
    });
    process.send({ url: node.url });
  } catch (error) {
    process.send({ problem: JSON.stringify((error as { report?: object }).report ?? String(error)) });
  }
}
