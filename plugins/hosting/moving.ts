import type { MoveNotice } from '../../core/services.ts';
import { idOf } from './agent-id.ts';

/** The notice with all keys in base58, as a client may have written them in hex. */
export function noticeOf({ claim, ...notice }: MoveNotice): MoveNotice {
  return {
    ...notice,
    agent_id: idOf(notice.agent_id, '/agent_id'),
    successor: idOf(notice.successor, '/successor'),
    claim: {
      ...claim,
      host: idOf(claim.host, '/claim/host'),
      recovery_key: idOf(claim.recovery_key, '/claim/recovery_key'),
    },
  };
}
