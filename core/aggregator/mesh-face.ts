import type { AckReason } from '../ack.ts';
import { defineFace, socket } from '../plugin.ts';
import { MeshInbound, MeshListener } from '../wiring/mesh-port.ts';
import { Mesh } from '../wiring/tokens.ts';
import { Ingest } from './ports.ts';

/** The aggregator is a hub: peers connect here, and what they broadcast is indexed before it is forwarded. */
export const meshFace = defineFace({
  uses: { mesh: Mesh, listener: MeshListener, inbound: MeshInbound, ingest: Ingest },
  routes: {
    peer: socket('/mesh', { auth: 'open', summary: 'Where peers connect: Noise sessions of binary frames.' }),
  },
  setup({ mesh, listener, inbound, ingest }) {
    inbound.receive = async (envelope, from, kind): Promise<AckReason> => {
      if (kind !== 'broadcast') return 'invalid';
      const [result] = await ingest([{ kind: 'envelope', bytes: envelope }], { ip: from.remote, live: true });
      // Its sender's report may have come first; the mesh knows by itself what it has forwarded.
      return result?.status === 'duplicate' ? 'accepted' : (result?.status ?? 'invalid');
    };
    return {
      routes: { peer: (raw, { ip }) => listener.adopt(raw, ip) },
      ready: () => mesh.start(),
    };
  },
});
