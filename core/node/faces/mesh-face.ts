import { Identity, Mesh, MeshListener, Network, Settings } from '../../internal-services.ts';
import { meshUrl } from '../../mesh/transport.ts';
import { definePlugin, optional, socket } from '../../plugin.ts';
import { Clock, OwnAsset } from '../../services.ts';
import { agentNameOf } from '../agent-name.ts';
import { Residents } from '../agents/providers.ts';
import { Reporting } from '../aggregators/reporting-provider.ts';
import { sendBeacon } from '../beacon.ts';
import { OPENINGS } from '../limits.ts';
import { Dispatching } from '../services/inbox.ts';
import { Messaging, Signing } from '../services/messaging.ts';
import { Topics } from '../topics.ts';

/** Milliseconds in which agents that are added go into one BEACON. */
const GATHERED = 2_000;

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
      residents: Residents,
      registered: optional(OwnAsset),
    },
    routes: {
      peer: socket('/mesh', {
        auth: 'open',
        limit: OPENINGS,
        summary: 'Where peers connect: Noise sessions of binary frames.',
      }),
    },
    setup(
      { listener, signing, reporter, dispatcher, settings, topics, residents, registered, ...services },
      { url, log, defer },
    ) {
      const { mesh, identity, clock } = services;
      const name = agentNameOf(settings, identity);
      const address = () => meshUrl(url());
      const reachedAt = () => (mesh.reachability() === 'unreachable' ? undefined : address());
      const hosted = () => residents.claims();
      const successions = () => residents.successions();
      const asset = () => registered?.asset();
      async function beacon(): Promise<void> {
        if (!(await sendBeacon({ ...services, name, url: reachedAt, asset, hosted, successions }))) return;
        // More than a BEACON holds: all are shown once in BEACONs that follow each other, and by turns from then on.
        if (residents.hasUnshownClaims || residents.hasUnshownSuccessions) announceSoon();
        await residents.announce();
      }
      const announce = () => void beacon().catch((error: unknown) => log.warn({ error }, 'the BEACON was not sent'));
      let isPlanned = false;
      function announceSoon(): void {
        if (isPlanned) return;
        isPlanned = true;
        clock.after(GATHERED, () => {
          isPlanned = false;
          announce();
        });
      }
      defer(residents.watch(announceSoon));
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
