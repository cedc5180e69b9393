/** Puts the pages of explorer and console into few files, as a built program serves them, and writes these into the folder. */
export function bundlePages(folder: string): Promise<void>;
