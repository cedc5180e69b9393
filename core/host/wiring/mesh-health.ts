import type { Mesh } from '../../mesh/mesh-contract.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { Health } from '../../plugin.ts';

/** Whether there is a session with every hub that was configured; one that is being dialled for the first time is not missed. */
export function meshHealth(mesh: Pick<Mesh, 'hubs'>, network: string): Health {
  const hubs = mesh.hubs();
  const away = hubs.filter(({ connected, why }) => !connected && why !== undefined);
  if (away.length === 0) return { state: 'ok' };
  const reasons = away.map(({ url, why }) => `The hub ${shownUrl(url)} is not reached: ${why}`);
  const left = hubs.some(({ connected }) => connected) ? '' : ' None is left: nobody hears what this node broadcasts.';
  const remedy = `See that they run, that this machine can reach them, and that they are of the network ${network}; they are dialled again and again.`;
  return { state: 'degraded', detail: reasons.join(' ') + left, remedy };
}
