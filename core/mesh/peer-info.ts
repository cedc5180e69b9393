import type { PeerInfo } from './mesh-contract.ts';
import type { Session } from './session/session.ts';

/** The public view of a session. */
export function describe(session: Session, kept: boolean): PeerInfo {
  const { peer, welcome } = session;
  return {
    key: peer!.key,
    instance: peer!.instance,
    name: welcome?.name ?? '',
    hub: welcome?.hub ?? false,
    url: welcome?.url,
    remote: session.remote,
    dialled: session.dialled,
    kept,
    relayed: session.relayed,
    since: session.openedAt,
    lastSeen: session.lastSeen,
    roundTrip: session.pulse.roundTrip,
    pending: session.pending,
    state: session.open ? 'open' : 'closing',
  };
}
