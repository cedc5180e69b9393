import { randomBytes } from 'node:crypto';
import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import { readFrames } from '../../core/mesh/frames/frame-reader.ts';
import { writeFrame } from '../../core/mesh/frames/frame-writer.ts';
import type { Frame, UnknownFrame } from '../../core/mesh/frames/frames.ts';
import { Handshake, type TransportCiphers } from '../../core/mesh/noise/handshake.ts';
import { keyPairFrom } from '../../core/mesh/noise/x25519.ts';
import { type PeerCertifier, ProcessKey } from '../../core/mesh/session/certificate.ts';
import { openRecord, sealRecord, splitRecord, wrapRecord } from '../../core/mesh/session/records.ts';
import type { Link } from '../../core/mesh/transport.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { NETWORK } from './mesh-fixture.ts';
import { testIdentity } from './test-identity.ts';

const PROLOGUE = Buffer.from('\xffagent-mesh/prologue/1\0', 'latin1');

export interface RawOptions {
  readonly certifier?: PeerCertifier;
  /** The 32 bytes that name the network; the fixture's unless given. */
  readonly network?: Uint8Array;
  /** Milliseconds by which the peer's clock is wrong. */
  readonly skew?: number;
  /** Changes the certificate payload, or the third message, before it is sent. */
  readonly payload?: (payload: Uint8Array) => Uint8Array;
  readonly third?: (message: Uint8Array) => Uint8Array;
}

/** A dialler that speaks the protocol by hand and can break it anywhere. */
export class RawPeer {
  readonly link: Link;
  readonly messages: Uint8Array[] = [];
  /** What it sent while it shook hands. */
  readonly shaken: Uint8Array[] = [];
  readonly frames: (Frame | UnknownFrame)[] = [];
  readonly #close: () => Promise<void>;
  #ciphers: TransportCiphers | undefined;
  reason: string | undefined;

  private constructor(link: Link, close: () => Promise<void>) {
    this.link = link;
    this.#close = close;
    link.receive({
      message: (message) => this.#message(message),
      drain() {},
      closed: (reason) => {
        this.reason = reason;
      },
    });
  }

  static async connect(url: string): Promise<RawPeer> {
    const transport = createWsTransport();
    const link = await transport.dial(url, AbortSignal.timeout(5_000));
    return new RawPeer(link, () => transport.close());
  }

  async shake(options: RawOptions = {}): Promise<void> {
    const { certifier = testIdentity(50), network = NETWORK, skew = 0, payload = same, third = same } = options;
    const clock = { ...systemClock, now: () => Date.now() + skew };
    const processKey = new ProcessKey(certifier, clock, systemRandom);
    const handshake = new Handshake({
      initiator: true,
      prologue: Buffer.concat([PROLOGUE, network]),
      staticKey: processKey.pair,
      ephemeralKey: keyPairFrom(randomBytes(32)),
    });
    this.#shake(wrapRecord(handshake.write(new Uint8Array(0))));
    await eventually(() => this.messages.length > 0);
    handshake.read(splitRecord(this.messages[0]!)[0]!);
    this.#shake(third(wrapRecord(handshake.write(payload(processKey.payload())))));
    this.#ciphers = handshake.split();
  }

  /** Shakes hands and says welcome. */
  async open(options: RawOptions = {}): Promise<this> {
    await this.shake(options);
    this.say({ type: 'welcome', name: 'raw', hub: false });
    await eventually(() => this.frames.some(({ type }) => type === 'welcome'));
    return this;
  }

  say(...frames: Frame[]): void {
    this.sayBytes(Buffer.concat(frames.map(writeFrame)));
  }

  sayBytes(plaintext: Uint8Array): void {
    this.link.send(sealRecord(this.#ciphers!.send, plaintext));
  }

  changeKey(): void {
    this.sayBytes(new Uint8Array(0));
    this.#ciphers!.send.rekey();
  }

  closed(): Promise<void> {
    return eventually(() => this.reason !== undefined);
  }

  close(): Promise<void> {
    return this.#close();
  }

  #shake(message: Uint8Array): void {
    this.shaken.push(message);
    this.link.send(message);
  }

  #message(message: Uint8Array): void {
    this.messages.push(message);
    if (this.#ciphers) this.frames.push(...readFrames(openRecord(this.#ciphers.receive, message)));
  }
}

function same(bytes: Uint8Array): Uint8Array {
  return bytes;
}
