import type {
  ExtensionPoints,
  GateVerdict,
  Guests,
  LedgerEvent,
  PublicRecord,
  SendingEnvelope,
} from '../../messaging/extension-points.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { AnyFace, MessageName, ReceivedEnvelope } from '../../plugin.ts';
import type { StandingFace } from './faces.ts';
import { InboundGates } from './inbound-gates.ts';
import { type PartKind, TransactionParts } from './transaction-parts.ts';

const KINDS: readonly PartKind[] = ['receives', 'sends', 'indexes', 'ledgerEvents'];

/** Functions that the faces bound at the points where core asks plugins; filled while the faces are set up, in boot order. */
export class ExtensionTable implements ExtensionPoints {
  readonly #gates: InboundGates;
  readonly #parts: TransactionParts;
  readonly #plugins = new Set<string>();

  constructor(metrics: Metrics, clock: Clock) {
    this.#gates = new InboundGates(metrics, clock);
    this.#parts = new TransactionParts(metrics);
  }

  add({ planned, face, log }: StandingFace, spec: AnyFace): void {
    const plugin = planned.name;
    for (const [name, types] of Object.entries(spec.inboundGates ?? {})) {
      this.#gates.add({
        plugin,
        name,
        types: types === true ? undefined : (types as string[]),
        ask: face.inboundGates![name]!,
        log,
      });
    }
    for (const kind of KINDS)
      for (const [name, part] of Object.entries(face[kind] ?? {})) {
        this.#parts.add({ plugin, kind, name, part, log });
        this.#plugins.add(plugin);
      }
  }

  /** The fault of a plugin at any of its points, for its health. */
  trouble(plugin: string): string | undefined {
    return this.#gates.trouble(plugin) ?? this.#parts.trouble(plugin);
  }

  admit(sender: string, type: MessageName, host?: string): Promise<GateVerdict> {
    return this.#gates.admit(sender, type, host);
  }

  receiving(envelope: ReceivedEnvelope): Guests | undefined {
    return this.#parts.of('receives', envelope.type, () => envelope);
  }

  sending(type: MessageName, draft: () => SendingEnvelope): Guests | undefined {
    return this.#parts.of('sends', type, draft);
  }

  recording(type: MessageName, record: () => PublicRecord): Guests | undefined {
    return this.#parts.of('indexes', type, record);
  }

  reading(event: LedgerEvent): Guests | undefined {
    return this.#parts.of('ledgerEvents', event.name, () => event);
  }

  get plugins(): readonly string[] {
    return [...this.#plugins];
  }

  get followsLedger(): boolean {
    return this.#parts.has('ledgerEvents');
  }
}
