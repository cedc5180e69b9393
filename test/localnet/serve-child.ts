import { startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';

/** A localnet in a process of its own, to be killed. Arguments: its folder. */
const net = await startLocalnet({ dir: process.argv[2]!, admin: true, log: silentLog });
process.stdout.write(`${net.url}\n`);
