import { ACK_REASONS } from '../ack.ts';
import { CODES, FRAME_HEAD, type Frame, WIRE_VERSION } from './frames.ts';
import { CIRCUIT_FRAMES, type CircuitFrame, type Located } from './relay-frames.ts';

const NO_BYTES = new Uint8Array(0);

/** The bytes of a frame. The caller keeps the limits of `frames.ts`; a frame beyond them is refused by the reader. */
export function writeFrame(frame: Frame): Uint8Array {
  switch (frame.type) {
    case 'envelope':
      return assemble(CODES.envelope, frame.envelope);
    case 'ack':
      return assemble(CODES.ack, ...ackParts(frame));
    case 'broadcast':
      return assemble(CODES.broadcast, shortText(frame.topic), frame.envelope);
    case 'subscribe':
      return assemble(CODES.subscribe, ...frame.topics.map(shortText));
    case 'unsubscribe':
      return assemble(CODES.unsubscribe, ...frame.topics.map(shortText));
    case 'welcome':
      return assemble(CODES.welcome, ...welcomeParts(frame));
    case 'ping':
      return assemble(CODES.ping, frame.token);
    case 'pong':
      return assemble(CODES.pong, frame.token, uint64(frame.time));
    case 'goodbye':
      return assemble(CODES.goodbye, Buffer.from(frame.reason));
    case 'refused':
      return assemble(CODES.refused, Uint8Array.of(frame.code));
    case 'circuit-open':
      return assembleCircuit(frame, frame.from, frame.to);
    case 'circuit-data':
      return assembleCircuit(frame, frame.message);
    case 'circuit-credit':
      return assembleCircuit(frame, uint32(frame.bytes));
    case 'circuit-close':
      return assembleCircuit(frame, Buffer.from(frame.reason));
    case 'reserve':
      return assemble(CODES.reserve, Uint8Array.of(0), uint32(frame.seconds));
    case 'reserved':
      return assemble(CODES.reserve, Uint8Array.of(1), uint32(frame.seconds));
    case 'lookup':
      return assemble(CODES.lookup, ...frame.keys);
    case 'located':
      return assemble(CODES.located, ...frame.found.map(locatedPart));
    case 'connect-test':
      return assemble(CODES.connectBack, Uint8Array.of(0), Buffer.from(frame.url));
    case 'connect-tested':
      return assemble(CODES.connectBack, Uint8Array.of(1, frame.reached ? 1 : 0));
    case 'connect-invite':
      return assemble(CODES.connectBack, Uint8Array.of(2), Buffer.from(frame.url));
    case 'connect-moved':
      return assemble(CODES.connectBack, Uint8Array.of(3));
    case 'blob-ask':
      return assemble(CODES.blob, Uint8Array.of(0), uint32(frame.request), frame.cid, uint64(frame.offset));
    case 'blob-part':
      return assemble(CODES.blob, Uint8Array.of(1), uint32(frame.request), uint64(frame.total), frame.bytes);
    case 'blob-none':
      return assemble(CODES.blob, Uint8Array.of(2), uint32(frame.request));
  }
}

function assemble(code: number, ...parts: Uint8Array[]): Uint8Array {
  let length = FRAME_HEAD;
  for (const part of parts) length += part.length;
  const frame = Buffer.allocUnsafe(length);
  frame.writeUInt32BE(length - 4, 0);
  frame[4] = code;
  let at = FRAME_HEAD;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

function assembleCircuit(frame: CircuitFrame, ...parts: Uint8Array[]): Uint8Array {
  return assemble(CODES.relay, Uint8Array.of(CIRCUIT_FRAMES.indexOf(frame.type)), uint32(frame.circuit), ...parts);
}

function locatedPart({ key, session, slot }: Located): Uint8Array {
  return Buffer.concat([key, Uint8Array.of((session ? 1 : 0) + (slot ? 2 : 0))]);
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function ackParts(frame: Frame & { type: 'ack' }): Uint8Array[] {
  const parts: Uint8Array[] = [uint64(frame.upTo)];
  for (const { back, reason, evidence = NO_BYTES } of frame.exceptions) {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(back);
    head[2] = ACK_REASONS.indexOf(reason);
    head[3] = evidence.length;
    parts.push(head, evidence);
  }
  return parts;
}

function welcomeParts({ name, hub, url = '', newest = NO_BYTES, time }: Frame & { type: 'welcome' }): Uint8Array[] {
  const address = Buffer.from(url);
  const addressLength = Buffer.alloc(2);
  addressLength.writeUInt16BE(address.length);
  return [
    Uint8Array.of(WIRE_VERSION, hub ? 1 : 0),
    shortText(name),
    addressLength,
    address,
    Uint8Array.of(newest.length),
    newest,
    time === undefined ? NO_BYTES : uint64(time),
  ];
}

function shortText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
