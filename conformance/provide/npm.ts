import { sidePackages } from '../../bin/side-packages.js';
import { folder } from './folder.ts';

/** The judges of conformance/package-lock.json, never among the product's own packages. */
export async function npmPackages(): Promise<string> {
  return sidePackages(folder);
}
