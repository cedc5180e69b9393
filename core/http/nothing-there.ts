import { MeshError } from '../contracts/errors.ts';

/** No endpoint has the address, and no folder a file. A route that knows nothing of what it was asked for throws its own error. */
export class NothingThere extends MeshError {
  constructor(path: string) {
    super('not_found', { detail: `There is nothing at ${path}.` });
  }
}
