import { loadContracts } from '../contracts/contracts.ts';
import { makeBackup } from '../host/backup/backup.ts';
import { type Restored, restoreBackup, restoredInPlace } from '../host/backup/restore.ts';
import { StoppedNode } from '../host/backup/stopped-node.ts';
import type { Parts } from '../host/wiring/composition.ts';
import { messageOf } from '../platform/problem.ts';
import { systemClock } from '../platform/system-clock.ts';
import {
  type Command,
  type Composition,
  command,
  type ExitCode,
  Failure,
  type NodeFlags,
  type Terminal,
  UsageError,
} from './command.ts';
import { wholeConfigurationOfAll } from './configured.ts';

const FOLDER = { name: 'FOLDER', summary: 'the folder of the backup' } as const;

/** `mesh backup`: copies a stopped node's data folder. */
export function backupCommand(parts: Parts): Command {
  return command({
    summary: 'Copies key and data of a stopped node into a new folder.',
    words: [FOLDER],
    options: {},
    flags: 'all',
    examples: ['backup ../backup-of-today'],
    async run({ words: [folder = ''], options, flags }, composition, terminal) {
      const node = await stoppedNode(flags, parts, composition, terminal);
      return attempt(async () => {
        const { agent, files } = await makeBackup(node, folder, systemClock.now());
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        if (options.json) terminal.out(JSON.stringify({ agent, folder, files: files.length, bytes }));
        else {
          terminal.out(`backed up agent ${agent}: ${files.length} files, ${bytes} bytes, in ${folder}`);
          terminal.out('The backup holds the key: whoever reads it can sign and pay as this agent.');
        }
      });
    },
  });
}

/** `mesh restore`: puts a backup in place and taints the epochs it knows too little about. */
export function restoreCommand(parts: Parts): Command {
  return command({
    summary: 'Puts a backup in place of a stopped node’s data, and taints the current epoch.',
    words: [{ ...FOLDER, optional: true }],
    options: {
      force: { summary: 'replace data that is there; it is kept beside it' },
      'in-place': { summary: 'the data was put back by other means: only taint what it knows too little about' },
    },
    flags: 'all',
    examples: ['restore ../backup-of-today', 'restore --in-place'],
    async run({ words: [folder], options, flags }, composition, terminal) {
      const inPlace = options['in-place'];
      if (inPlace === (folder !== undefined)) throw new UsageError('name the FOLDER of the backup, or --in-place');
      const node = await stoppedNode(flags, parts, composition, terminal);
      return attempt(async () => {
        const now = systemClock.now();
        const restored = await (folder === undefined
          ? restoredInPlace(node, now)
          : restoreBackup(node, folder, options.force, now));
        if (options.json)
          terminal.out(JSON.stringify({ ...restored, manifest: undefined, made_at: restored.manifest?.made_at }));
        else for (const line of describe(restored, node, folder)) terminal.out(line);
      });
    },
  });
}

async function stoppedNode(
  flags: NodeFlags,
  { adapters }: Parts,
  composition: Composition,
  terminal: Terminal,
): Promise<StoppedNode> {
  const contracts = loadContracts();
  const { settings, folder } = await wholeConfigurationOfAll(flags, composition, terminal, contracts);
  return new StoppedNode({ settings, folder, contracts, adapters, clock: systemClock });
}

async function attempt(run: () => Promise<void>): Promise<ExitCode> {
  try {
    await run();
    return 0;
  } catch (error) {
    throw new Failure(messageOf(error), {}, error);
  }
}

function describe({ agent, manifest, before, tainted }: Restored, node: StoppedNode, folder: string | undefined) {
  const made = manifest
    ? `made at ${new Date(manifest.made_at).toISOString()}, every file as it was`
    : 'without a list';
  const lines = [
    folder === undefined
      ? `looked at agent ${agent} with storage ${node.storage}; its data was left as it is`
      : `restored agent ${agent} from ${folder} (${made}) into ${node.dataDir}; its key and its store open`,
  ];
  if (folder !== undefined && !manifest)
    lines.push('The backup was not made by mesh backup: whether it is complete cannot be told.');
  if (before !== undefined) lines.push(`What was there before is kept in ${before}.`);
  if (tainted) lines.push(...consequences(tainted));
  lines.push('Make sure that no other process uses this key, wherever it was copied to; then start the node.');
  return lines;
}

function consequences({ from, to, above }: NonNullable<Restored['tainted']>): string[] {
  const epochs = from === to ? `Epoch ${to} is` : `Epochs ${from} to ${to} are`;
  return [
    `${epochs} tainted: what the agent signed after the backup is not in this journal. Therefore:`,
    '- they are never part of a behavior batch; with a stake, at most 2 of 32 epochs may be left out',
    `- in epoch ${to} the agent signs on from number ${above + 1}, beyond all it may have forgotten`,
    '- messages, deals and payments after the backup are unknown here; look at GET /deals and at the ledger',
  ];
}
