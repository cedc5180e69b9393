import type { EnvelopeHandlers } from '../../internal-services.ts';
import type { ReceivedEnvelope } from '../../messaging/received-envelope.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import { within } from '../../platform/scope.ts';
import type { EnvelopeHandler } from '../../plugin.ts';
import type { StandingFace } from './faces.ts';

/** How long one handler may take for one envelope before the next one's turn. */
const DEADLINE = 30_000;
/** Envelopes stored nowhere that are being handled at the same time; further ones are passed over. */
const MOST_UNSTORED = 64;

/** The handlers of all faces by message type; filled once the faces stand. */
export class EnvelopeTable implements EnvelopeHandlers {
  readonly #handlers = new Map<string, { plugin: string; handle: EnvelopeHandler; log: Log }[]>();
  readonly #clock: Clock;
  readonly #failures: ReturnType<Metrics['counter']>;
  #unstored = 0;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#failures = metrics.counter(
      'mesh_envelope_handler_failures_total',
      'Handlers that threw, or took more than 30 seconds.',
      ['plugin', 'type'],
    );
  }

  add({ planned, face, log }: StandingFace): void {
    for (const [type, handle] of Object.entries(face.envelopes ?? {})) {
      const known = this.#handlers.get(type) ?? [];
      known.push({ plugin: planned.name, handle, log });
      this.#handlers.set(type, known);
    }
  }

  handles(type: string): boolean {
    return this.#handlers.has(type);
  }

  get plugins(): readonly string[] {
    return [...new Set([...this.#handlers.values()].flat().map(({ plugin }) => plugin))];
  }

  get isEmpty(): boolean {
    return this.#handlers.size === 0;
  }

  async deliver(envelope: ReceivedEnvelope): Promise<void> {
    const { id, type } = envelope;
    for (const { plugin, handle, log } of this.#handlers.get(type) ?? []) {
      try {
        await within(this.#clock, DEADLINE, () => handle(envelope));
      } catch (error) {
        this.#failures({ plugin, type });
        log.error({ err: error, type, id, at: placeOf(error) }, 'an envelope handler failed');
      }
    }
  }

  deliverUnstored(envelope: ReceivedEnvelope): void {
    if (!this.handles(envelope.type) || this.#unstored >= MOST_UNSTORED) return;
    this.#unstored += 1;
    void this.deliver(envelope).finally(() => {
      this.#unstored -= 1;
    });
  }
}
