/** Settings of plugins by their names, as in plugins.json. */
type PluginSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The ledger of the demo mesh, as stand-ins need it: it serves the methods of `admin`. */
export interface UpstreamLedger {
  readonly url: string;
  readonly faucet: {
    sol(address: string, lamports: bigint): Promise<string>;
    usdc(owner: string, minor: bigint): Promise<string>;
  };
}

/** Stand-ins for the services outside of a mesh, which the repository brings for its tests. */
export interface Upstreams {
  /** Programs that the ledger has from its start. */
  readonly programs: readonly { readonly address: string; readonly elf: Uint8Array }[];
  start(ledger: UpstreamLedger): Promise<RunningUpstreams>;
}

export interface RunningUpstreams {
  /** Where each of them is, and in place of which service. */
  readonly services: readonly { readonly name: string; readonly url: string; readonly about: string }[];
  /** The settings with which nodes and the aggregator use them. */
  readonly plugins: { readonly node: PluginSettings; readonly aggregator: PluginSettings };
  stop(): Promise<void>;
}
