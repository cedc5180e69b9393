import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Verifier } from '../../internal-services.ts';
import { fromHex } from '../../platform/bytes.ts';
import { domainBytes } from '../../protocol/identity/domains.ts';
import { normaliseAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { keepRoundTrip } from './measured.ts';

/** The time of the last report that was taken, by reporter. */
const lastReports = collection<{ readonly time: number }>('latency-reports', { schema: () => [] });

const SIGNATURE_BYTES = 64;
/** Seconds that the clock of a reference node may differ from ours. */
const SKEW = 120;

interface ReportParts {
  readonly space: Space;
  readonly verifier: Verifier;
  readonly network: Network;
  readonly now: () => number;
  /** Regions by the agent ids of the reference nodes. */
  readonly references: ReadonlyMap<string, string>;
}

/** A report as it came: its bytes are what was signed. */
interface SignedReport {
  readonly body: SchemaTypes['latency-report'];
  readonly bytes: Uint8Array;
  /** Hex; empty where there was none. */
  readonly signature: string;
}

/** Takes the round trips of one report; refuses whatever is not of a reference node, of its region, fresh and signed. */
export async function takeReport(
  { space, verifier, network, now, references }: ReportParts,
  { body, bytes, signature }: SignedReport,
): Promise<SchemaTypes['latency-taken']> {
  const reporter = normaliseAgentId(body.reporter)!;
  const { region, time, round_trips } = body;
  const allowed = references.get(reporter);
  if (allowed === undefined)
    throw new MeshError(
      'forbidden',
      `${reporter} is no reference node of this aggregator; its operator lists those in core.latency.references.`,
    );
  if (region !== allowed) throw invalidField('/region', `must be ${allowed}, where this reference node is listed`);
  if (Math.abs(now() / 1_000 - time) > SKEW) throw invalidField('/time', `must be within ${SKEW} seconds of now`);
  const fields = { body_hash: createHash('sha256').update(bytes).digest(), time };
  const message = domainBytes('latency/1', network.id, fields);
  const signed = fromHex(signature, SIGNATURE_BYTES);
  if (!signed || !(await verifier.verify(message, signed, parseAgentId(reporter)!)))
    throw new MeshError('unauthorized', 'The header X-Signature is not of reporter over this body and time.');
  const last = lastReports.ref(reporter);
  await space.tx([last], (tx) => {
    if ((tx.get(last)?.time ?? -1) >= time)
      throw new MeshError('conflict', 'A report of this time or a later one was taken already.');
    tx.put(last, { time });
  });
  const unknown: string[] = [];
  for (const { agent_id, rtt_ms } of round_trips) {
    const agentId = normaliseAgentId(agent_id)!;
    // A reference node measures others: it is no distance away from itself.
    const isKnown = agentId !== reporter && (await keepRoundTrip(space, { agentId, region, measured: rtt_ms }));
    if (!isKnown) unknown.push(agentId);
  }
  return { taken: round_trips.length - unknown.length, unknown };
}
