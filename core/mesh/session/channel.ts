import type { Clock, Random } from '../../platform/clock.ts';
import type { CipherState } from '../noise/cipher-state.ts';
import { Handshake, type TransportCiphers } from '../noise/handshake.ts';
import { KEY_LENGTH, keyPairFrom } from '../noise/x25519.ts';
import { HIGH_WATER, type Link, type LinkFault } from '../transport.ts';
import { CertificateError, type PeerIdentity, type ProcessKey } from './certificate.ts';
import { MAX_RECORD, openRecord, sealRecord, splitRecord, wrapRecord } from './records.ts';
import { type RekeyLimits, RekeySchedule } from './rekey-schedule.ts';

export interface ChannelOptions {
  readonly processKey: ProcessKey;
  readonly prologue: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: RekeyLimits;
  /** The key the other side must prove; without it any key is welcome. */
  readonly expectedKey?: Uint8Array | undefined;
}

export interface ChannelListener {
  /** The handshake is done; `send` works from now on. */
  secured(peer: PeerIdentity): void;
  /** The plaintext of one transport message; empty when the other side changed its key. */
  message(plaintext: Uint8Array): void;
  drain(): void;
  /** Called once. `fault` says that the other side broke the rules in this part of the protocol. */
  closed(reason: string, fault?: ChannelFault): void;
}

export type ChannelFault = LinkFault | 'handshake' | 'record';

const NO_BYTES = new Uint8Array(0);
const MAX_HANDSHAKE = 512;
/** One Noise message: larger records gain nothing. */
const COALESCE = 64 * 1024 - 17;

/**
 * A link made secret and authentic by Noise XX. Frames sent in one turn leave together.
 *
 * Each direction changes its key by count and by age. The sender alone decides when: it sends a record without
 * plaintext, and all it sends after that is under the next key (the Rekey of the Noise specification, counter going
 * on). The limits of the two sides need not agree.
 */
export class SecureChannel {
  readonly #link: Link;
  readonly #options: ChannelOptions;
  readonly #listener: ChannelListener;
  readonly #handshake: Handshake;
  readonly #schedule: RekeySchedule;
  #ciphers: TransportCiphers | undefined;
  #begun = false;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #flushing = false;
  #closing: { readonly reason: string; readonly fault?: ChannelFault } | undefined;

  /** Listens to the link at once, so nothing that arrives early is lost. */
  constructor(link: Link, options: ChannelOptions, listener: ChannelListener) {
    this.#link = link;
    this.#options = options;
    this.#listener = listener;
    this.#schedule = new RekeySchedule(options.clock, options.limits);
    this.#handshake = new Handshake({
      initiator: link.dialled,
      prologue: options.prologue,
      staticKey: options.processKey.pair,
      ephemeralKey: keyPairFrom(options.random.bytes(KEY_LENGTH)),
    });
    link.receive({
      message: (message) => this.#message(message),
      drain: () => this.#listener.drain(),
      closed: (reason, fault) => this.#closed(reason, fault),
    });
    if (link.dialled) link.send(wrapRecord(this.#handshake.write(NO_BYTES)));
  }

  /** Whether the other side has said anything. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Bytes that wait on this side. */
  get buffered(): number {
    return this.#link.buffered + this.#queuedBytes;
  }

  /** Whether there is room for frames that may be withheld. If not, the link is above its mark and `drain` follows. */
  get writable(): boolean {
    return this.#link.buffered <= HIGH_WATER;
  }

  send(frame: Uint8Array): void {
    if (!this.#ciphers || this.#closing) return;
    if (this.#queuedBytes + frame.length > COALESCE) this.flush();
    this.#queue.push(frame);
    this.#queuedBytes += frame.length;
    if (this.#flushing) return;
    this.#flushing = true;
    // After the microtasks of this turn, which are where most answers are made.
    queueMicrotask(() => process.nextTick(() => this.flush()));
  }

  flush(): void {
    this.#flushing = false;
    if (!this.#ciphers || this.#queue.length === 0) return;
    const record = this.#queue.length === 1 ? this.#queue[0]! : Buffer.concat(this.#queue, this.#queuedBytes);
    this.#queue = [];
    this.#queuedBytes = 0;
    if (record.length > MAX_RECORD) throw new RangeError('A frame is larger than a record.');
    if (this.#schedule.due(this.#ciphers.send.count)) this.#rekey(this.#ciphers.send);
    this.#link.send(sealRecord(this.#ciphers.send, record));
  }

  pause(): void {
    this.#link.pause();
  }

  resume(): void {
    this.#link.resume();
  }

  /** Sends what is queued, then closes the link. */
  close(reason = 'closed', fault?: ChannelFault): void {
    if (this.#closing) return;
    this.flush();
    this.#closing = fault ? { reason, fault } : { reason };
    this.#link.close(reason);
  }

  destroy(reason: string): void {
    this.#closing ??= { reason };
    this.#link.destroy();
  }

  #rekey(cipher: CipherState): void {
    this.#link.send(sealRecord(cipher, NO_BYTES));
    cipher.rekey();
    this.#schedule.done(cipher.count);
  }

  #message(message: Uint8Array): void {
    this.#begun = true;
    if (this.#closing) return;
    if (this.#ciphers) this.#open(this.#ciphers, message);
    else this.#shake(message);
  }

  #open(ciphers: TransportCiphers, message: Uint8Array): void {
    let plaintext: Uint8Array;
    try {
      plaintext = openRecord(ciphers.receive, message);
      if (plaintext.length === 0) ciphers.receive.rekey();
    } catch {
      this.close('record refused', 'record');
      return;
    }
    this.#listener.message(plaintext);
  }

  /** Whatever goes wrong, the other side learns only that it did, or what it can know about its own certificate. */
  #shake(message: Uint8Array): void {
    let peer: PeerIdentity | undefined;
    try {
      peer = this.#step(message);
    } catch (error) {
      this.close(error instanceof CertificateError ? error.message : 'handshake failed', 'handshake');
      return;
    }
    if (!peer) return;
    this.#ciphers = this.#handshake.split();
    this.#listener.secured(peer);
  }

  #step(message: Uint8Array): PeerIdentity | undefined {
    const parts = splitRecord(message);
    if (message.length > MAX_HANDSHAKE || parts.length !== 1) throw new Error('handshake malformed');
    const payload = this.#handshake.read(parts[0]!);
    const staticKey = this.#handshake.remoteStatic;
    if (!staticKey) {
      if (payload.length > 0) throw new Error('handshake malformed');
      this.#link.send(wrapRecord(this.#handshake.write(this.#options.processKey.payload())));
      return undefined;
    }
    const peer = this.#options.processKey.check(payload, staticKey);
    const { expectedKey } = this.#options;
    if (expectedKey && Buffer.compare(expectedKey, peer.key) !== 0) throw new CertificateError('another key expected');
    if (this.#handshake.writes) this.#link.send(wrapRecord(this.#handshake.write(this.#options.processKey.payload())));
    return peer;
  }

  #closed(reason: string, fault?: LinkFault): void {
    const closing = this.#closing ?? { reason, ...(fault && { fault }) };
    this.#closing = closing;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#listener.closed(closing.reason, closing.fault);
  }
}
