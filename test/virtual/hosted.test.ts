import assert from 'node:assert/strict';
import { Residents } from '../../core/node/agents/providers.ts';
import { Hosts } from '../../core/node/services/agents.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { innkeeper } from '../support/agents.ts';
import { HOUR, MINUTE, VirtualMesh } from './support/mesh.ts';

const GUESTS = 1_000;
/** Guests that write, and guests that are written to, in each hour. */
const WRITERS = 8;

describe('a node with a thousand hosted agents on virtual time', () => {
  it('lives for 24 hours: everybody is known, each letter comes once, and who is done leaves the memory', async function () {
    this.timeout(600_000);
    const keeper = innkeeper();
    const mesh = new VirtualMesh({
      ...{ seed: 'inn', agents: 2 },
      plugins: ({ name }) => (name === 'agent-0' ? [keeper.plugin] : []),
    });
    await mesh.start();
    const [inn, far] = [mesh.agent(0), mesh.agent(1)];
    const keys = mesh.random.branch('guests');
    const { agents } = keeper.got;
    const guests: string[] = [];
    for (let n = 0; n < GUESTS; n += 1) {
      const { id } = await mesh.time.until(agents.add({ signer: agents.signerOf(keys.bytes(32)), name: `guest ${n}` }));
      guests.push(id);
    }
    const before = process.cpuUsage();
    await mesh.time.pass(10 * MINUTE);
    const hosts = far.node.get(Hosts);
    const known = await mesh.time.until(hosts.agentsOf(inn.id));
    assert.deepEqual([...known].sort(), [...guests].sort(), 'all are known within ten minutes');

    const sent: string[] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      for (let n = 0; n < WRITERS; n += 1) {
        const guest = guests[(hour * WRITERS + n) % GUESTS]!;
        const text = `${hour} ${n}`;
        sent.push(text);
        await mesh.time.until(agents.get(guest)!.send('MESSAGE', { text }, { recipient: far.id }));
        await mesh.time.until(far.client.message({ recipient: guest, text }));
      }
      await mesh.time.pass(HOUR);
      assert.equal(inn.node.get(Residents).memory.size, 0, `hour ${hour}: all are at rest`);
    }
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(
      `      24 hours: ${mesh.time.turns} turns, ${Math.round((user + system) / 1e6)} s of a core\n`,
    );

    const heard: string[] = [];
    for (let since = 0; ; ) {
      const { frames } = await mesh.time.until(far.client.inboxPage({ since, limit: 200 }));
      if (frames.length === 0) break;
      since = (frames.at(-1) as any).cursor;
      for (const { msg_type, payload } of frames as any[]) if (msg_type === 'MESSAGE') heard.push(payload.text);
    }
    assert.deepEqual([...heard].sort(), [...sent].sort());
    for (const [place, guest] of guests.entries()) {
      const { messages } = await mesh.time.until(agents.get(guest)!.inbox.page());
      assert.equal(messages.length, place < 24 * WRITERS ? 1 : 0, `the letters of guest ${place}`);
      assert.ok(await mesh.time.until(hosts.hostOf(parseAgentId(guest)!)), `the host of guest ${place}`);
    }
    await mesh.stop();
  });
});
