import { Identity, Mesh, MeshListener, Network, Settings } from '../../internal-services.ts';
import { meshUrl } from '../../mesh/transport.ts';
import { definePlugin, socket } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { agentNameOf } from '../agent-name.ts';
import { Reporting } from '../aggregators/reporting-provider.ts';
import { sendBeacon } from '../beacon.ts';
import { OPENINGS } from '../limits.ts';
import { Dispatching } from '../services/inbox.ts';
import { Messaging, Signing } from '../services/messaging.ts';
import { Topics } from '../topics.ts';

/** The door for peers, and this node's own announcements. */
export const meshFace = definePlugin({
  name: 'mesh',
  api: '2.0',
  summary: "The node's place in the mesh.",
  node: {
    uses: {
      mesh: Mesh,
      listener: MeshListener,
      messages: Messaging,
      signing: Signing,
      reporter: Reporting,
      dispatcher: Dispatching,
      identity: Identity,
      network: Network,
      settings: Settings,
      clock: Clock,
      topics: Topics,
    },
    routes: {
      peer: socket('/mesh', {
        auth: 'open',
        limit: OPENINGS,
        summary: 'Where peers connect: Noise sessions of binary frames.',
      }),
    },
    setup(
      { mesh, listener, messages, signing, reporter, dispatcher, identity, network, settings, clock, topics },
      { url, log, defer },
    ) {
      const name = agentNameOf(settings, identity);
      const address = () => meshUrl(url());
      const reachedAt = () => (mesh.reachability() === 'unreachable' ? undefined : address());
      const beacon = () => sendBeacon({ messages, mesh, identity, network, name, url: reachedAt });
      const announce = () => void beacon().catch((error: unknown) => log.warn({ error }, 'the BEACON was not sent'));
      let announced = mesh.reachability();
      defer(
        mesh.watch({
          peerUp: ({ hub, dialled }) => hub && dialled && clock.after(0, announce),
          reachability(state) {
            if ((state === 'unreachable') !== (announced === 'unreachable')) clock.after(0, announce);
            announced = state;
          },
        }),
      );
      return {
        routes: { peer: (raw, { ip }) => listener.adopt(raw, ip) },
        health: () => signing.health(),
        jobs: [{ name: 'beacon', every: (settings.mesh.beaconSecs ?? 300) * 1_000, run: beacon }],
        async ready() {
          await dispatcher.start();
          topics.start();
          mesh.start(address());
          reporter.start();
        },
      };
    },
  },
});
