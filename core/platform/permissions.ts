/** The permissions that a plugin may ask for beyond its own space and folder, and the acts that each one allows. */
export const PERMISSIONS = {
  'messages:send': 'sends messages signed by this agent',
  'messages:read': 'reads what this agent receives',
  'deals:read': 'reads the deals of this agent',
  'deals:act': 'takes steps in the deals of this agent',
  'money:spend': 'pays in USDC, within the caps of the operator',
  blobs: 'keeps and reads byte strings of its own by their hash',
} as const;

/** A permission of the table, or `http:<host>` and `http:*`: calls that host, or any. */
export type Permission = keyof typeof PERMISSIONS | `http:${string}`;

const HOST = /^http:(\*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?)$/;

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name) || HOST.test(name);
}

/** Whether a service that needs `wanted` may be used by who holds `held`; `http:*` includes every host. */
export function holds(held: ReadonlySet<string>, wanted: string): boolean {
  if (held.has(wanted)) return true;
  return wanted.startsWith('http:') && (wanted === 'http:' ? [...held].some(isHttp) : held.has('http:*'));
}

function isHttp(permission: string): boolean {
  return permission.startsWith('http:');
}
