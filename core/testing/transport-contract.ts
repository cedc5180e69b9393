import assert from 'node:assert/strict';
import { HIGH_WATER, type Link, MAX_MESSAGE, type Transport } from '../mesh/transport.ts';
import type { TestRunner } from './runner.ts';

export interface TransportPair {
  /** Both transports of one network; `url` leads to `listener`. */
  readonly dialler: Transport;
  readonly listener: Transport;
  readonly url: string;
  /** A URL where nobody answers at all, and one that refuses. */
  readonly silentUrl: string;
  readonly refusedUrl: string;
  close(): Promise<void>;
}

const HUGE = 20 * HIGH_WATER;

/** The contract of every transport. `setup` makes a fresh pair for each test. */
export function transportContract(
  name: string,
  setup: () => Promise<TransportPair>,
  runner: Pick<TestRunner, 'describe' | 'it'>,
): void {
  const { describe, it } = runner;

  async function withLinks(body: (dialled: Link, accepted: Link, pair: TransportPair) => Promise<void>): Promise<void> {
    const pair = await setup();
    try {
      const incoming = new Promise<Link>((resolve) => pair.listener.accept(resolve));
      const dialled = await pair.dialler.dial(pair.url, AbortSignal.timeout(5_000));
      await body(dialled, await incoming, pair);
    } finally {
      await pair.close();
    }
  }

  describe(`the transport contract of ${name}`, () => {
    it('hands over messages of every size, whole and in order, both ways', () =>
      withLinks(async (dialled, accepted) => {
        const sizes = [0, 1, 125, 126, 65_535, 65_536, MAX_MESSAGE];
        for (const [from, to] of [
          [dialled, accepted],
          [accepted, dialled],
        ] as const) {
          const reader = read(to);
          sizes.forEach((size, index) => {
            from.send(new Uint8Array(size).fill(index + 1));
          });
          await reader.count(sizes.length);
          assert.deepEqual(
            reader.messages.map((message) => [message.length, message[0] ?? 0, message.at(-1) ?? 0]),
            sizes.map((size, index) => (size === 0 ? [0, 0, 0] : [size, index + 1, index + 1])),
          );
        }
      }));

    it('says which side dialled', () =>
      withLinks(async (dialled, accepted, { url }) => {
        assert.equal(dialled.dialled, true);
        assert.equal(accepted.dialled, false);
        assert.equal(dialled.remote, url);
        assert.ok(accepted.remote.length > 0);
      }));

    it('keeps messages that arrive before anyone listens', () =>
      withLinks(async (dialled, accepted) => {
        for (let index = 0; index < 20; index++) dialled.send(Uint8Array.of(index));
        await until(() => dialled.buffered === 0);
        await pause(20);
        const reader = read(accepted);
        dialled.send(Uint8Array.of(20));
        await reader.count(21);
        assert.deepEqual(
          reader.messages.map((message) => message[0]),
          Array.from({ length: 21 }, (_, index) => index),
        );
      }));

    it('closes rather than keep more than the backlog for nobody', () =>
      withLinks(async (dialled, accepted) => {
        const sender = read(dialled);
        for (let index = 0; index < 3; index++) dialled.send(new Uint8Array(MAX_MESSAGE));
        await sender.closed;
        await read(accepted).closed;
      }));

    it('carries a thousand small messages at once', () =>
      withLinks(async (dialled, accepted) => {
        const reader = read(accepted);
        for (let index = 0; index < 1_000; index++) dialled.send(Uint8Array.of(index >> 8, index & 255));
        await reader.count(1_000);
        assert.ok(reader.messages.every((message, index) => message[0]! * 256 + message[1]! === index));
      }));

    it('lets a paused reader stop the sender, and goes on after resume with nothing lost', () =>
      withLinks(async (dialled, accepted) => {
        let received = 0;
        let arrivedWhilePaused = 0;
        let paused = true;
        accepted.receive({
          message(message) {
            if (paused) arrivedWhilePaused += 1;
            received += message.length;
          },
          drain() {},
          closed() {},
        });
        accepted.pause();
        const reader = read(dialled);
        const chunk = new Uint8Array(64 * 1024);
        let sent = 0;
        while (sent < HUGE && dialled.buffered <= HIGH_WATER) {
          dialled.send(chunk);
          sent += chunk.length;
          await pause(0);
        }
        assert.ok(sent < HUGE, 'the sender was never told to stop');
        assert.ok(dialled.buffered <= HIGH_WATER + chunk.length);
        assert.equal(arrivedWhilePaused, 0);
        assert.equal(reader.drains, 0);
        paused = false;
        accepted.resume();
        await until(() => received === sent);
        assert.equal(reader.drains, 1);
      }));

    it('closes both sides when a message is too large, and hands over none of it', () =>
      withLinks(async (dialled, accepted) => {
        const [sender, receiver] = [read(dialled), read(accepted)];
        dialled.send(new Uint8Array(MAX_MESSAGE + 1));
        await Promise.all([sender.closed, receiver.closed]);
        assert.equal(receiver.messages.length, 0);
      }));

    it('delivers what was sent before an orderly close, and the reason after it', () =>
      withLinks(async (dialled, accepted) => {
        const [sender, receiver] = [read(dialled), read(accepted)];
        for (let index = 0; index < 50; index++) dialled.send(new Uint8Array(4_000));
        dialled.close('going home');
        assert.equal(await receiver.closed, 'going home');
        assert.equal(await sender.closed, 'going home');
        assert.equal(receiver.messages.length, 50);
      }));

    it('cuts a reason that is too long', () =>
      withLinks(async (dialled, accepted) => {
        const receiver = read(accepted);
        dialled.close('é'.repeat(200));
        assert.ok(Buffer.byteLength(await receiver.closed) <= 103);
      }));

    it('says closed once, however often and from wherever a link is closed', () =>
      withLinks(async (dialled, accepted) => {
        const [sender, receiver] = [read(dialled), read(accepted)];
        dialled.close('one');
        dialled.close('two');
        accepted.close('three');
        accepted.destroy();
        dialled.destroy();
        await Promise.all([sender.closed, receiver.closed]);
        await pause(30);
        assert.deepEqual([sender.closedTimes, receiver.closedTimes], [1, 1]);
      }));

    it('tells the other side that a link was destroyed', () =>
      withLinks(async (dialled, accepted) => {
        const [sender, receiver] = [read(dialled), read(accepted)];
        accepted.destroy();
        await Promise.all([sender.closed, receiver.closed]);
        dialled.send(Uint8Array.of(1));
        accepted.send(Uint8Array.of(1));
        accepted.close();
        await pause(20);
        assert.equal(receiver.messages.length + sender.messages.length, 0);
      }));

    it('says closed to a listener that comes too late', () =>
      withLinks(async (dialled, accepted) => {
        const receiver = read(accepted);
        dialled.destroy();
        await receiver.closed;
        const late = read(dialled);
        await late.closed;
        assert.equal(late.closedTimes, 1);
      }));

    it('rejects a dial that is refused, and one that nobody answers when its signal fires', async () => {
      const pair = await setup();
      try {
        await assert.rejects(pair.dialler.dial(pair.refusedUrl, AbortSignal.timeout(5_000)), Error);
        const started = process.hrtime.bigint();
        await assert.rejects(pair.dialler.dial(pair.silentUrl, AbortSignal.timeout(100)));
        assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 3_000);
        await assert.rejects(pair.dialler.dial(pair.url, AbortSignal.abort()));
      } finally {
        await pair.close();
      }
    });

    it('closes every link when the transport closes', () =>
      withLinks(async (dialled, accepted, { dialler }) => {
        const [sender, receiver] = [read(dialled), read(accepted)];
        await dialler.close();
        await Promise.all([sender.closed, receiver.closed]);
      }));
  });
}

function read(link: Link) {
  const messages: Uint8Array[] = [];
  let onClosed: (reason: string) => void;
  const state = {
    messages,
    drains: 0,
    closedTimes: 0,
    closed: new Promise<string>((resolve) => {
      onClosed = resolve;
    }),
    count: (wanted: number) => until(() => messages.length >= wanted),
  };
  link.receive({
    message: (message) => void messages.push(message),
    drain: () => void state.drains++,
    closed(reason) {
      state.closedTimes += 1;
      onClosed(reason);
    },
  });
  return state;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = process.hrtime.bigint() + 15_000_000_000n;
  while (!condition()) {
    if (process.hrtime.bigint() > deadline) throw new Error('What the test waits for did not happen.');
    await pause(2);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
