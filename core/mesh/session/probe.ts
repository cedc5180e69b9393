import type { MeshLimits } from '../limits.ts';
import type { Link } from '../transport.ts';
import { type ChannelOptions, SecureChannel } from './channel.ts';

/** Shakes hands on a link and leaves: resolves when the expected key was proven, rejects with a sentence otherwise. */
export function probe(link: Link, options: ChannelOptions & { readonly limits: MeshLimits }): Promise<void> {
  const { clock, limits } = options;
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limits.handshakeMs, () => channel.destroy('handshake timed out'));
    const channel = new SecureChannel(link, options, {
      secured() {
        resolve();
        channel.close('tested');
      },
      message() {},
      drain() {},
      closed(reason) {
        cancel();
        reject(new Error(`The test of ${link.remote} failed: ${reason}.`));
      },
    });
  });
}
