import { HttpNetwork, Resolver } from '../../../internal-services.ts';
import { PerPlugin, provider } from '../../../provider.ts';
import { Clock, Contracts, Http } from '../../../services.ts';
import { isPrivateMesh } from '../mesh-provider.ts';
import { HttpCalls } from './http-calls.ts';

export const httpProvider = provider(Http, {
  uses: { network: HttpNetwork, resolver: Resolver, clock: Clock, contracts: Contracts },
  open(services, { settings, signal }) {
    const isPrivate = settings.mesh.allowPrivatePeers ?? isPrivateMesh(settings);
    const live = new Set<AbortController>();
    signal.addEventListener('abort', () => {
      for (const call of live) call.abort(signal.reason);
    });
    // One for each plugin, whatever number of names it uses the service by: its calls are counted there.
    const made = new Map<string, HttpCalls>();
    return new PerPlugin<Http>((asker) => {
      const calls = made.get(asker.name) ?? new HttpCalls({ ...services, asker, isPrivate, live });
      made.set(asker.name, calls);
      return calls;
    });
  },
});
