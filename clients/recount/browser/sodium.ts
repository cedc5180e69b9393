/** In the place of core/platform/sodium.ts: there is no libsodium in a browser. */
export const sodium = undefined;
