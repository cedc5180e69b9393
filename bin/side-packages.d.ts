/** Installs what the lock file of a folder names, unless it was installed from it; calls `before` when it does. Throws when it cannot be had. */
export function sidePackages(folder: string, before?: () => void): string;
