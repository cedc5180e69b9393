import { MeshError } from '../../contracts/errors.ts';
import type { Permission } from '../../platform/permissions.ts';
import type { Asker } from '../../provider.ts';

/** Throws `forbidden` unless the plugin holds the permission. */
export function requirePermission({ name, may }: Asker, permission: Permission): void {
  if (may(permission)) return;
  throw new MeshError(
    'forbidden',
    `The plugin ${name} does not hold ${permission}; its author adds it to permissions.`,
  );
}
