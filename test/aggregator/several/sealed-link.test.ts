import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { SealedLink } from '../../../core/aggregator/writer/sealed-link.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';

const SECRET = 'a secret that stands in the store';

describe('the link between two aggregators on one store', () => {
  let server: Server;
  let asker: Socket;
  let writer: Socket;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    asker = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [writer] = (await once(server, 'connection')) as [Socket];
  });
  afterEach(() => {
    for (const socket of [asker, writer]) socket.destroy();
    server.close();
  });

  function side(socket: Socket, which: 'asker' | 'writer', secret = SECRET) {
    const frames: string[] = [];
    let lost: string | undefined;
    const events = {
      frame: (content: Buffer) => void frames.push(content.toString()),
      lost: (why: string) => {
        lost = why;
      },
    };
    const opened = SealedLink.open(socket, which, secret, events, systemClock);
    return { frames, opened, why: () => lost };
  }

  async function until(isSo: () => boolean): Promise<void> {
    for (let tries = 0; !isSo() && tries < 500; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(isSo());
  }

  it('carries frames both ways in order, also long ones', async () => {
    const [a, w] = [side(asker, 'asker'), side(writer, 'writer')];
    const [from, to] = await Promise.all([a.opened, w.opened]);
    const long = 'x'.repeat(3 * 1024 * 1024);
    const told = ['one', long, 'three'];
    for (const text of told) from.send([Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))]);
    to.send([Buffer.from('back')]);
    await until(() => w.frames.length === 3 && a.frames.length === 1);
    assert.deepEqual(w.frames, told);
    assert.deepEqual(a.frames, ['back']);
  });

  it('is not opened to a side with another secret', async () => {
    const [a, w] = [side(asker, 'asker', 'a guess'), side(writer, 'writer')];
    const ends = await Promise.allSettled([a.opened, w.opened]);
    for (const end of ends) {
      assert.ok(end.status === 'rejected');
      assert.match(String(end.reason), /another secret|closed/);
    }
  });

  it('is not opened to one that says nothing', async () => {
    await assert.rejects(side(writer, 'writer').opened, /did not prove itself in time/);
  });

  it('ends at a frame that somebody else made, repeated or changed', async () => {
    const [a, w] = [side(asker, 'asker'), side(writer, 'writer')];
    const [from] = await Promise.all([a.opened, w.opened]);
    const written: Buffer[] = [];
    const write = asker.write.bind(asker);
    asker.write = ((bytes: Buffer) => written.push(Buffer.from(bytes)) > 0) as never;
    from.send([Buffer.from('pay')]);
    asker.write = write as never;
    const frame = Buffer.concat(written);
    write(frame);
    await until(() => w.frames.length === 1);
    write(frame);
    await until(() => w.why() !== undefined);
    assert.equal(w.why(), 'it sent a frame with a wrong code');
    assert.deepEqual(w.frames, ['pay']);
  });

  it('ends at a frame that says it is longer than any', async () => {
    const [a, w] = [side(asker, 'asker'), side(writer, 'writer')];
    await Promise.all([a.opened, w.opened]);
    asker.write(Buffer.alloc(20, 0xff));
    await until(() => w.why() !== undefined);
    assert.equal(w.why(), 'it sent a frame that is too long');
  });
});
