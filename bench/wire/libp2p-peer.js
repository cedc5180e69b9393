/**
 * A peer of js-libp2p that does the same work: `libp2p-peer <build> <seed> <hub?> <address of its hub?>`. Every message goes
 * over one persistent stream behind its length; every answer is the number of messages judged.
 */
import './node-20.js';
import { join } from 'node:path';
import { circuitRelayServer, circuitRelayTransport } from '@libp2p/circuit-relay-v2';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { identify } from '@libp2p/identify';
import { noise } from '@libp2p/noise';
import { tcp } from '@libp2p/tcp';
import { yamux } from '@libp2p/yamux';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p } from 'libp2p';

const [build, seed, role, hub] = process.argv.slice(2);
const { Letters, OPAQUE } = await import(join(build, 'letters.js'));
const { PER_TURN, UNANSWERED, serve } = await import(join(build, 'work.js'));
const { median } = await import(join(build, '../framework/median.js'));

const PROTOCOL = '/bench/letters/1';
const RELAYED = { runOnLimitedConnection: true, maxInboundStreams: 100 };
const ANSWER = 4;

const letters = new Letters(Number(seed));
const node = await createLibp2p({
  privateKey: await generateKeyPairFromSeed('Ed25519', new Uint8Array(32).fill(Number(seed))),
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0', ...(hub === undefined ? [] : [`${hub}/p2p-circuit`])] },
  transports: [tcp(), circuitRelayTransport()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  // Its pings would end connections while a busy machine makes them late.
  connectionMonitor: { enabled: false },
  services: {
    identify: identify(),
    ...(role === 'hub' && {
      relay: circuitRelayServer({ reservations: { maxReservations: 100, applyDefaultLimit: false } }),
    }),
  },
});

/** Calls `take` with every message of a stream, whole and in order. */
function reader(take) {
  let kept = Buffer.alloc(0);
  return ({ data }) => {
    const chunk = data.subarray();
    kept = kept.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([kept, chunk]);
    let at = 0;
    while (kept.length - at >= 4) {
      const end = at + 4 + kept.readUInt32BE(at);
      if (end > kept.length) break;
      take(kept.subarray(at + 4, end));
      at = end;
    }
    kept = kept.subarray(at);
  };
}

function framed(bytes) {
  const frame = Buffer.allocUnsafe(4 + bytes.length);
  frame.writeUInt32BE(bytes.length, 0);
  frame.set(bytes, 4);
  return frame;
}

/** Judges in order and answers once per turn with how many were taken, as our mesh does. */
await node.handle(
  PROTOCOL,
  (stream) => {
    let taken = 0;
    let answering = false;
    function answer() {
      taken += 1;
      if (answering) return;
      answering = true;
      queueMicrotask(() =>
        process.nextTick(() => {
          answering = false;
          const body = Buffer.allocUnsafe(ANSWER);
          body.writeUInt32BE(taken, 0);
          if (stream.status === 'open') stream.send(framed(body));
        }),
      );
    }
    const take = reader((message) => {
      if (message[0] === OPAQUE[0]) answer();
      else letters.judge(message).then((valid) => (valid ? answer() : stream.abort(new Error('not signed'))));
    });
    stream.addEventListener('message', take);
  },
  RELAYED,
);

const streams = new Map();

/** The one stream to an address, with the number of messages sent and answered. */
async function streamTo({ url }) {
  const known = streams.get(url);
  if (known?.stream.status === 'open') return known;
  const stream = await node.dialProtocol(multiaddr(url), PROTOCOL, RELAYED);
  const made = { stream, sent: 0, answered: 0, heard: () => {} };
  stream.addEventListener(
    'message',
    reader((body) => {
      made.answered = body.readUInt32BE(0);
      made.heard();
    }),
  );
  streams.set(url, made);
  return made;
}

function message(to, signed) {
  return framed(signed ? letters.write(Buffer.from(to.key, 'hex')) : OPAQUE);
}

serve({
  async connect(to) {
    if (to) await node.dial(multiaddr(to.url));
    const addresses = node.getMultiaddrs().map(String);
    const url = addresses.find((address) => (hub === undefined) === !address.includes('p2p-circuit'));
    return { url, key: Buffer.from(letters.identity.key).toString('hex') };
  },
  async stream(to, count, signed) {
    const made = await streamTo(to);
    const last = made.sent + count;
    const began = performance.now();
    while (made.sent < last) {
      for (let some = 0; some < PER_TURN && made.sent < last; some += 1) {
        made.sent += 1;
        // Not stream.onDrain(): it resolves at once after the first time.
        if (!made.stream.send(message(to, signed)))
          await new Promise((go) => made.stream.addEventListener('drain', go, { once: true }));
      }
      await new Promise(setImmediate);
      while (made.sent - made.answered >= UNANSWERED) {
        await new Promise((go) => {
          made.heard = go;
        });
      }
    }
    while (made.answered < last) {
      await new Promise((go) => {
        made.heard = go;
      });
    }
    return performance.now() - began;
  },
  async roundTrip(to, count, signed) {
    const made = await streamTo(to);
    const times = [];
    for (let time = 0; time < count; time += 1) {
      const began = performance.now();
      await new Promise((go) => {
        made.heard = go;
        made.sent += 1;
        made.stream.send(message(to, signed));
      });
      times.push((performance.now() - began) * 1_000);
    }
    return median(times);
  },
  async cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
