import { ACK_REASONS, type SendOutcome } from './ack.ts';
import type { MeshStats } from './mesh-contract.ts';
import type { SessionFault } from './session/session-listener.ts';

type Counted = Exclude<keyof MeshStats, Gauge | 'faults' | 'outcomes'>;
type Gauge = 'peers' | 'handshakes' | 'slots' | 'circuits';
type Outcome = keyof MeshStats['outcomes'];

const FAULTS: readonly SessionFault[] = ['message', 'handshake', 'record', 'frame', 'flood', 'silent', 'slow'];
const OUTCOMES: readonly Outcome[] = [...ACK_REASONS, 'busy', 'unknown', 'unreachable'];

/** Everything the mesh counts, from the start of the process. */
export class MeshCounters {
  readonly #counts: Record<Counted, number> = {
    sessionsOpened: 0,
    sessionsClosed: 0,
    refusedFull: 0,
    refusedBusy: 0,
    displaced: 0,
    unfinished: 0,
    dialsFailed: 0,
    upgrades: 0,
    dialsRefused: 0,
    tests: 0,
    envelopesIn: 0,
    envelopesOut: 0,
    rateLimited: 0,
    broadcastsIn: 0,
    broadcastsSeen: 0,
    broadcastsRefused: 0,
    broadcastsOut: 0,
    broadcastsDropped: 0,
    circuitsOpened: 0,
    circuitsRefused: 0,
    relayedBytes: 0,
  };
  readonly #faults = zeros(FAULTS);
  readonly #outcomes = zeros(OUTCOMES);

  add(name: Counted, by = 1): void {
    this.#counts[name] += by;
  }

  fault(fault: SessionFault): void {
    this.#faults[fault] += 1;
  }

  outcome(outcome: SendOutcome): void {
    this.#outcomes[outcome.outcome === 'acked' ? outcome.reason : outcome.outcome] += 1;
  }

  snapshot(gauges: Pick<MeshStats, Gauge>): MeshStats {
    return { ...gauges, ...this.#counts, faults: { ...this.#faults }, outcomes: { ...this.#outcomes } };
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
