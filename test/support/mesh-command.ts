import { adapters, localnet, program } from '../../adapters/index.ts';
import { main } from '../../core/cli/mesh.ts';
import { plugins, standard } from '../../plugins/index.ts';

// The `mesh` command from its sources, as a process of its own.
process.exitCode = await main(process.argv.slice(2), {
  parts: { adapters, plugins, standard },
  localnet: async () => localnet(),
  program,
  upstreams: async () => (await import('../upstreams/dev.ts')).upstreams,
  parent: process.ppid,
});
