import type { EnvelopeHandlers } from '../../internal-services.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import type { EnvelopeHandler } from '../../plugin.ts';
import type { StandingFace } from './faces.ts';

/** The handlers of all faces by message type; filled once the faces stand. */
export class EnvelopeTable implements EnvelopeHandlers {
  readonly #handlers = new Map<string, { plugin: string; handle: EnvelopeHandler; log: Log }[]>();
  readonly #failures: ReturnType<Metrics['counter']>;

  constructor(metrics: Metrics) {
    this.#failures = metrics.counter('mesh_envelope_handler_failures_total', 'Handlers that threw.', [
      'plugin',
      'type',
    ]);
  }

  add({ planned, face, log }: StandingFace): void {
    for (const [type, handle] of Object.entries(face.envelopes ?? {})) {
      const known = this.#handlers.get(type) ?? [];
      known.push({ plugin: planned.name, handle, log });
      this.#handlers.set(type, known);
    }
  }

  types(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  async deliver(type: string, envelope: unknown): Promise<void> {
    for (const { plugin, handle, log } of this.#handlers.get(type) ?? []) {
      try {
        await handle(envelope);
      } catch (error) {
        this.#failures({ plugin, type });
        log.error({ err: error, type, at: placeOf(error) }, 'an envelope handler failed');
      }
    }
  }
}
