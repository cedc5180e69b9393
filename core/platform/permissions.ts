/** The permissions that a plugin may ask for beyond its own space and folder, and the acts that each one allows. */
export const PERMISSIONS = {
  'messages:send': 'sends messages signed by this agent',
  'messages:read': 'reads what this agent receives',
  'messages:carry': 'leaves envelopes elsewhere that cannot be delivered, and hands in those that waited',
  'messages:gate': 'decides which messages this agent takes and sends',
  'deals:read': 'reads the deals of this agent',
  'deals:act': 'takes steps in the deals of this agent',
  'deals:judge': 'speaks and decides as the notary of deals of others',
  'agents:host': 'adds agents that live on this node, and acts for those it added',
  'cards:certify': 'certifies keys that sign agent cards for this agent',
  'money:spend': 'pays in USDC, within the caps of the operator',
  'owner-links': 'proposes and writes who owns an agent',
  blobs: 'keeps and reads byte strings of its own by their hash',
} as const;

/** A permission of the table; `http:<host>` and `http:*`: calls that host, or any; `money:sign:<program>` and `money:sign:*`; `aggregators:<path>` and `aggregators:*`. */
export type Permission = keyof typeof PERMISSIONS | `http:${string}` | `money:sign:${string}` | `aggregators:${string}`;

/** Permissions for one of something, or for any (`*`), by how they begin. */
const KINDS: Readonly<Record<string, { readonly form: RegExp; readonly act: (of: string) => string }>> = {
  'http:': {
    form: /^(\*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?)$/,
    act: (host) => `calls ${host === '*' ? 'any host' : host}`,
  },
  'money:sign:': {
    form: /^(\*|[1-9A-HJ-NP-Za-km-z]{32,44})$/,
    act: (program) => `signs transactions of ${program === '*' ? 'any program' : `the program ${program}`}`,
  },
  'aggregators:': {
    form: /^(\*|(\/[a-z0-9][a-z0-9-]*)+)$/,
    act: (path) => `calls ${path === '*' ? 'anything' : path} at its aggregators in the name of this agent`,
  },
};

/** The forms of `KINDS`, as they are written. */
export const KINDS_OF_PERMISSION: readonly string[] = [
  ...['http:<host>', 'http:*', 'money:sign:<program>', 'money:sign:*', 'aggregators:<path>', 'aggregators:*'],
];

export function isPermission(name: string): name is Permission {
  if (Object.hasOwn(PERMISSIONS, name)) return true;
  const kind = kindOf(name);
  return kind !== undefined && KINDS[kind]!.form.test(name.slice(kind.length));
}

/** The act that a permission allows, as the end of a sentence that begins with the plugin. */
export function actOf(permission: Permission): string {
  const kind = kindOf(permission);
  return kind === undefined
    ? PERMISSIONS[permission as keyof typeof PERMISSIONS]
    : KINDS[kind]!.act(permission.slice(kind.length));
}

/** Whether a service that needs `wanted` may be used by who holds `held`; `http:*` includes every host, and `http:` alone is any one. */
export function holds(held: ReadonlySet<string>, wanted: string): boolean {
  if (held.has(wanted)) return true;
  const kind = kindOf(wanted);
  if (kind === undefined) return false;
  return wanted === kind ? [...held].some((permission) => permission.startsWith(kind)) : held.has(`${kind}*`);
}

function kindOf(permission: string): string | undefined {
  return Object.keys(KINDS).find((kind) => permission.startsWith(kind));
}
