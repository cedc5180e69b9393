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
    return new PerPlugin<Http>((asker) => new HttpCalls({ ...services, asker, isPrivate, live }));
  },
});
