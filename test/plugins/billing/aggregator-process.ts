import { adapters } from '../../../adapters/index.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { plugins, standard } from '../../../plugins/index.ts';

/** An aggregator in a process of its own, as the parent's JSON on the command line says. */
await startNode({
  parts: { adapters, plugins, standard },
  log: silentLog,
  config: { value: JSON.parse(process.argv[2]!) },
});
process.stdout.write('ready\n');
