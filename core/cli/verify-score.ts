import { readFileSync } from 'node:fs';
import { EvidenceError, verifyEvidence } from '../aggregator/evidence/verify.ts';
import { SPACE } from '../aggregator/providers.ts';
import { loadContracts } from '../contracts/contracts.ts';
import type { Adapters } from '../host/wiring/adapters.ts';
import type { Clock } from '../platform/clock.ts';
import { silentLog } from '../platform/log.ts';
import { messageOf } from '../platform/problem.ts';
import { systemRandom } from '../platform/system-clock.ts';
import type { Space } from '../storage/space.ts';
import { openStore } from '../storage/store.ts';
import { type Command, command, type ExitCode, Failure } from './command.ts';
import { table } from './table.ts';

const NOT_PROVED =
  'Not proved here: what the aggregator says of the ledger (look the transactions up at an RPC that you trust), and that it left nothing out.';

/** `mesh verify-score`: counts the evidence of a score again, from signatures, without any connection. */
export function verifyScoreCommand(storage: Adapters['storage']): Command {
  return command({
    summary: 'Counts a score again from a file of evidence, offline.',
    about:
      'The file is what GET /reputation/:agent_id/evidence of an aggregator answers, all pages one after the other. Every signature is checked.',
    words: [{ name: 'FILE', summary: 'the file of evidence' }],
    options: {},
    examples: ['verify-score evidence.ndjson'],
    run: async ({ words: [path = ''], options: { json } }, _, terminal): Promise<ExitCode> => {
      const found = await verifyEvidence(contentOf(path), (clock) => emptySpace(storage, clock)).catch(
        (error: unknown) => {
          throw error instanceof EvidenceError ? new Failure(`${path}: ${error.message}`, {}, error) : error;
        },
      );
      const { faults, counted, claimed, transactions, anchors, ...rest } = found;
      if (faults.length > 0) throw new Failure(`${path}: ${faults.join('; ')}`, { ...found });
      const rows = [
        ...[['score', `${counted.score}, as the aggregator says (rank ${counted.rank})`]],
        ...Object.entries(rest).map(([name, value]) => [name, String(value)]),
        ...[['anchors', anchors.join(' ') || 'none']],
        ...[['transactions', String(transactions.length)]],
      ];
      const shown = { ok: true, ...rest, claimed, counted, anchors, transactions, not_proved: NOT_PROVED };
      terminal.out(json ? JSON.stringify(shown) : `${table(rows)}\n${NOT_PROVED}`);
      return 0;
    },
  });
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`, {}, error);
  }
}

async function emptySpace(storage: Adapters['storage'], clock: Clock): Promise<Space> {
  const contracts = loadContracts();
  const adapter = await storage['memory']!({ settings: {}, folder: '', clock, log: silentLog });
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  return (await openStore(adapter, { clock, random: systemRandom, validate })).space(SPACE);
}
