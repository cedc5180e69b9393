import type { BeaconPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { domainBytes } from '../protocol/identity/domains.ts';
import { parseAgentId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { Verifier } from './verification/verifier.ts';

/** An agent goes on under another key: signed by the recovery key of the old one and by the new one, in the domain succession/1. */
export type Succession = NonNullable<BeaconPayload['successions']>[number];

/** Successions of one host that are verified in an hour: twice as many as four of its BEACONs can hold. */
export const SUCCESSIONS_OF_A_HOST = { rate: 128, window: 3_600 };
/** Epochs for which a succession that was signed may become known for the first time, so that one that was given up is not used years later. */
const EPOCHS = 30;
/** Milliseconds that the clock of its signer may be ahead. */
const AHEAD = 30_000;

/** The last moment at which a succession of that time may become known for the first time, Unix milliseconds. */
export function lastMoment({ time }: Pick<Succession, 'time'>, { epochSecs }: Network): number {
  return (time + EPOCHS * epochSecs) * 1_000;
}

/** The bytes that both keys sign. */
export function successionBytes({ agent_id, successor, time }: Named, network: Network): Uint8Array {
  const [old_key, new_key] = [parseAgentId(agent_id)!, parseAgentId(successor)!];
  return domainBytes('succession/1', network.id, { old_key, new_key, time });
}

type Named = Pick<Succession, 'agent_id' | 'successor' | 'time'>;

/** Why this succession cannot be at that moment, Unix milliseconds, whoever signed it; undefined when it can. */
export function untimely({ agent_id, successor, time }: Named, network: Network, now: number) {
  if (agent_id === successor) return 'circular' as const;
  return time * 1_000 > now + AHEAD || lastMoment({ time }, network) < now ? ('time' as const) : undefined;
}

/** For each succession, whether both have signed it; `recoveryKeys` stand in the same order. */
export async function genuineSuccessions(
  successions: readonly Succession[],
  recoveryKeys: readonly string[],
  { verifier, network }: { readonly verifier: Pick<Verifier, 'verifyAll'>; readonly network: Network },
): Promise<boolean[]> {
  const signed = successions.flatMap((one, place) => {
    const message = successionBytes(one, network);
    const by = (key: string, text: string) => ({
      message,
      signature: Buffer.from(text, 'base64'),
      key: parseAgentId(key)!,
    });
    return [by(recoveryKeys[place]!, one.signature_b64), by(one.successor, one.accepted_b64)];
  });
  const genuine = await verifier.verifyAll(signed);
  return successions.map((_, place) => genuine[2 * place]! && genuine[2 * place + 1]!);
}
