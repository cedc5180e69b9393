/** Bundles entries, named from the root of the package, into the folder under the same paths. Gives the files it read. */
export function bundle(entries: readonly string[], folder: string): Promise<string[]>;
