import { TcpProxy } from '../support/tcp-proxy.ts';
import type { TestMesh, TestNode } from './mesh-fixture.ts';

/** A hub behind a proxy, and its URL by way of that. */
export interface FarHub {
  readonly hub: TestNode;
  readonly proxy: TcpProxy;
  readonly url: string;
}

/** Hubs that are so many milliseconds away, one way. The caller closes their proxies. */
export async function farHubs(world: TestMesh, far: readonly number[]): Promise<FarHub[]> {
  const hubs: FarHub[] = [];
  for (const [index, latency] of far.entries()) {
    const hub = await world.node({ seed: 100 + index, hub: true });
    const through = new URL(hub.url);
    const proxy = await TcpProxy.to(Number(through.port));
    proxy.latency = latency;
    through.port = new URL(proxy.url.replace('redis:', 'http:')).port;
    hubs.push({ hub, proxy, url: through.href });
  }
  return hubs;
}
