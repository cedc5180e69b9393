import assert from 'node:assert/strict';
import { Operations } from '../../core/services.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { DAY, HOUR, MINUTE, type VirtualMember, VirtualMesh } from './support/mesh.ts';

/** An idle node runs a job one and a half times a minute at most: BEACONs, and sessions that come and go, wake it. */
const MOST_RUNS = 24 * 60 * 1.5;
/** Plugins that ask the machine for more than virtual time has, such as files. */
const OUTSIDE = ['explorer', 'launchpad'];

describe('a node that has nothing to do, on virtual time', function () {
  this.timeout(120_000);

  it('sleeps: no job of it runs each second or so, on any profile, and it is well', async () => {
    const chosen = [...standard.node.filter((name) => !OUTSIDE.includes(name)), 'a2a', 'mcp', 'webhooks'];
    const on = await Promise.all(chosen.map((name) => plugins[name]!()));
    const mesh = new VirtualMesh({ seed: 'idle', agents: 2, hubs: 1, plugins: () => on });
    await mesh.start();
    await mesh.time.pass(HOUR);
    const members = [...mesh.members.values()];
    const before = await Promise.all(members.map((member) => jobRuns(mesh, member)));
    const { turns } = mesh.time;
    await mesh.time.pass(DAY);
    process.stdout.write(`      a day: ${mesh.time.turns - turns} turns of ${members.length} nodes\n`);
    for (const [index, member] of members.entries()) {
      const after = await jobRuns(mesh, member);
      assert.ok(after.size >= 5, `${member.name} has jobs: ${[...after.keys()].join()}`);
      for (const [job, runs] of after) {
        const more = runs - (before[index]!.get(job) ?? 0);
        assert.ok(more <= MOST_RUNS, `the job ${job} of ${member.name} ran ${more} times`);
      }
      const { plugins: states } = member.node.get(Operations).state();
      const ill = Object.entries(states).filter(([, { state }]) => state !== 'ok');
      assert.deepEqual(ill, [], member.name);
    }
    await mesh.stop();
  });

  it('moves a deal of which it knows at its moment all the same', async () => {
    const mesh = new VirtualMesh({ seed: 'idle with a deal', agents: 2 });
    await mesh.start();
    const [alice, bob] = [mesh.agent(0), mesh.agent(1)];
    await mesh.time.pass(HOUR);
    const wish = {
      recipient: bob.id,
      amount_usdc: '0',
      message: 'Count the words.',
      deadline_secs: (6 * HOUR) / 1_000,
    };
    const { conversation_id } = await mesh.time.until(alice.client.propose(wish));
    await mesh.time.pass(MINUTE);
    await mesh.time.until(bob.client.accept({ conversation_id }));
    const accepted = mesh.time.now();
    await mesh.time.pass(6 * HOUR + MINUTE);
    for (const one of [alice, bob]) {
      const { state, history } = await mesh.time.until(one.client.deal(conversation_id));
      assert.equal(state, 'expired');
      const at = Date.parse(history.at(-1)!.at);
      assert.ok(
        at - accepted <= 6 * HOUR + 2_000,
        `${one.name} let it expire ${at - accepted} ms after its acceptance`,
      );
    }
    await mesh.stop();
  });
});

async function jobRuns(mesh: VirtualMesh, member: VirtualMember): Promise<Map<string, number>> {
  const { text } = await mesh.time.until(member.node.get(Operations).metrics());
  const found = new Map<string, number>();
  for (const [, plugin, job, runs] of text.matchAll(
    /^mesh_job_runs_total\{plugin="([^"]*)",job="([^"]*)",result="\w+"\} (\d+)$/gm,
  )) {
    const name = `${plugin}/${job}`;
    found.set(name, (found.get(name) ?? 0) + Number(runs));
  }
  return found;
}
