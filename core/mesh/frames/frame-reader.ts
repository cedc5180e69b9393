import { ACK_REASONS } from '../ack.ts';
import {
  type AckException,
  CODES,
  FRAME_HEAD,
  type Frame,
  FrameError,
  hasControl,
  MAX_CARRIED,
  MAX_FRAME,
  MAX_KEYS,
  MAX_NAME,
  MAX_PART,
  MAX_REASON,
  MAX_RELAYED,
  MAX_TOPIC,
  MAX_URL,
  type UnknownFrame,
  WIRE_VERSION,
} from './frames.ts';
import { CIRCUIT_FRAMES, type Located } from './relay-frames.ts';

const KEY_LENGTH = 32;
const TOKEN_LENGTH = 8;
const TIME_LENGTH = 8;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The frames in the plaintext of one transport message, in order. Envelopes and other byte fields are views of
 * `bytes`. Throws a FrameError at the first frame that does not fit, after the frames before it were yielded.
 */
export function* readFrames(bytes: Uint8Array): Generator<Frame | UnknownFrame> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < FRAME_HEAD) throw new FrameError('A frame head is cut short.');
    const length = view.getUint32(at);
    if (length < 1) throw new FrameError('A frame has no code.');
    if (length > MAX_FRAME) throw new FrameError('A frame is too long.');
    const end = at + 4 + length;
    if (end > bytes.length) throw new FrameError('A frame is cut short.');
    yield readFrame(bytes[at + 4]!, new Body(bytes, at + FRAME_HEAD, end));
    at = end;
  }
}

function readFrame(code: number, body: Body): Frame | UnknownFrame {
  switch (code) {
    case CODES.envelope:
      return { type: 'envelope', envelope: body.envelope() };
    case CODES.ack:
      return readAck(body);
    case CODES.broadcast:
      return { type: 'broadcast', topic: body.topic(), envelope: body.envelope() };
    case CODES.subscribe:
      return { type: 'subscribe', topics: body.topics() };
    case CODES.unsubscribe:
      return { type: 'unsubscribe', topics: body.topics() };
    case CODES.welcome:
      return readWelcome(body);
    case CODES.ping:
      return { type: 'ping', token: body.last(TOKEN_LENGTH) };
    case CODES.pong:
      return { type: 'pong', token: body.take(TOKEN_LENGTH), time: body.lastSafeInteger() };
    case CODES.goodbye:
      return { type: 'goodbye', reason: body.text(body.left, MAX_REASON) };
    case CODES.refused:
      return { type: 'refused', code: body.last(1)[0]! };
    case CODES.relay:
      return readCircuit(body);
    case CODES.reserve:
      return { type: body.flag() ? 'reserved' : 'reserve', seconds: body.lastUint32() };
    case CODES.lookup:
      return { type: 'lookup', keys: body.many(() => body.take(KEY_LENGTH)) };
    case CODES.located:
      return { type: 'located', found: body.many(() => readLocated(body)) };
    case CODES.connectBack:
      return readConnectBack(body);
    case CODES.blob:
      return readBlob(body);
    default:
      return { type: 'unknown', code };
  }
}

function readConnectBack(body: Body): Frame {
  const kind = body.uint8();
  if (kind === 1) return { type: 'connect-tested', reached: body.lastFlag() };
  if (kind === 3) {
    body.last(0);
    return { type: 'connect-moved' };
  }
  if (kind !== 0 && kind !== 2) throw new FrameError('A connect-back frame is of an unknown kind.');
  const url = body.text(body.left, MAX_URL);
  if (url === '') throw new FrameError('A connect-back frame has no URL.');
  return { type: kind === 0 ? 'connect-test' : 'connect-invite', url };
}

function readBlob(body: Body): Frame {
  const kind = body.uint8();
  const request = body.uint32();
  switch (kind) {
    case 0:
      return { type: 'blob-ask', request, cid: body.take(KEY_LENGTH), offset: body.lastSafeInteger() };
    case 1: {
      const total = body.safeInteger();
      if (body.left > MAX_PART) throw new FrameError('A part of a blob is too long.');
      return { type: 'blob-part', request, total, bytes: body.take(body.left) };
    }
    case 2:
      body.last(0);
      return { type: 'blob-none', request };
    default:
      throw new FrameError('A blob frame is of an unknown kind.');
  }
}

function readAck(body: Body): Frame {
  const upTo = body.safeInteger();
  const exceptions: AckException[] = [];
  let previous = Number.POSITIVE_INFINITY;
  while (body.left > 0) {
    const back = body.uint16();
    if (back >= previous) throw new FrameError('The exceptions of an acknowledgement are out of order.');
    previous = back;
    const reason = ACK_REASONS[body.uint8()];
    if (!reason) throw new FrameError('An acknowledgement has an unknown reason.');
    const evidence = body.take(body.uint8());
    exceptions.push(evidence.length > 0 ? { back, reason, evidence } : { back, reason });
  }
  return { type: 'ack', upTo, exceptions };
}

function readWelcome(body: Body): Frame {
  const version = body.uint8();
  if (version !== WIRE_VERSION) throw new FrameError('The other side speaks another version of the frames.');
  const hub = (body.uint8() & 1) === 1;
  const name = body.text(body.uint8(), MAX_NAME);
  const url = body.text(body.uint16(), MAX_URL);
  // Kept as long as the session, and not to keep the message alive in which it came.
  const newest = Uint8Array.from(body.take(body.uint8()));
  const time = body.left < TIME_LENGTH ? undefined : body.safeInteger();
  return {
    type: 'welcome',
    name,
    hub,
    ...(url === '' ? {} : { url }),
    ...(newest.length === 0 ? {} : { newest }),
    ...(time === undefined ? {} : { time }),
  };
}

function readCircuit(body: Body): Frame {
  const type = CIRCUIT_FRAMES[body.uint8()];
  const circuit = body.uint32();
  switch (type) {
    case 'circuit-open':
      return { type, circuit, from: body.take(KEY_LENGTH), to: body.last(KEY_LENGTH) };
    case 'circuit-data':
      if (body.left === 0 || body.left > MAX_RELAYED) throw new FrameError('A relayed message has no fitting length.');
      return { type, circuit, message: body.take(body.left) };
    case 'circuit-credit':
      return { type, circuit, bytes: body.lastUint32() };
    case 'circuit-close':
      return { type, circuit, reason: body.text(body.left, MAX_REASON) };
    default:
      throw new FrameError('A relay frame is of an unknown kind.');
  }
}

function readLocated(body: Body): Located {
  const key = body.take(KEY_LENGTH);
  const flags = body.uint8();
  return { key, session: (flags & 1) === 1, slot: (flags & 2) === 2 };
}

/** Reads one frame's body from front to back and never beyond it. */
class Body {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new FrameError('The body of a frame is too short.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  last(length: number): Uint8Array {
    if (length !== this.left) throw new FrameError('The body of a frame has the wrong length.');
    return this.take(length);
  }

  uint8(): number {
    return this.take(1)[0]!;
  }

  uint16(): number {
    return this.uint8() * 256 + this.uint8();
  }

  uint32(): number {
    return this.uint16() * 65_536 + this.uint16();
  }

  lastUint32(): number {
    if (this.left !== 4) throw new FrameError('The body of a frame has the wrong length.');
    return this.uint32();
  }

  flag(): boolean {
    const byte = this.uint8();
    if (byte > 1) throw new FrameError('A flag in a frame is neither 0 nor 1.');
    return byte === 1;
  }

  lastFlag(): boolean {
    if (this.left !== 1) throw new FrameError('The body of a frame has the wrong length.');
    return this.flag();
  }

  many<Item>(read: () => Item): Item[] {
    const items = [read()];
    while (this.left > 0 && items.length < MAX_KEYS) items.push(read());
    if (this.left > 0) throw new FrameError('A frame names too many keys.');
    return items;
  }

  safeInteger(): number {
    const value = this.take(8).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw new FrameError('A number in a frame is too large.');
    return value;
  }

  lastSafeInteger(): number {
    if (this.left !== 8) throw new FrameError('The body of a frame has the wrong length.');
    return this.safeInteger();
  }

  text(length: number, limit: number): string {
    if (length > limit) throw new FrameError('A text in a frame is too long.');
    const bytes = this.take(length);
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      throw new FrameError('A text in a frame is not UTF-8.');
    }
    if (hasControl(text)) throw new FrameError('A text in a frame has control characters.');
    return text;
  }

  topic(): string {
    const topic = this.text(this.uint8(), MAX_TOPIC);
    if (topic === '') throw new FrameError('A topic is empty.');
    return topic;
  }

  topics(): string[] {
    const topics = [this.topic()];
    while (this.left > 0) topics.push(this.topic());
    return topics;
  }

  envelope(): Uint8Array {
    if (this.left === 0) throw new FrameError('An envelope is empty.');
    if (this.left > MAX_CARRIED) throw new FrameError('An envelope is too long.');
    return this.take(this.left);
  }
}
