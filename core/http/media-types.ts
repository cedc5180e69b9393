/** The media type of a file by the ending of its name; a browser saves any other file. */
const TYPES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xml: 'application/xml; charset=utf-8',
};

export function mediaTypeOf(name: string): string {
  const end = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, end) ? TYPES[end]! : 'application/octet-stream';
}

/** The hash that a bundler puts before the ending: eight or more letters and digits behind a dot or dash. */
const HASH = /[.-]([A-Za-z0-9_-]{8,64})\.[A-Za-z0-9.]+$/;
const HEX = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]+$/;
const MIXED = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])/;

/**
 * Whether a name holds a hash of the content, such as `app-BfV8w2aQ.js` or `main.3f2a9c1b.css`: another content has another
 * name. Words and dates are none, so a hash that looks like one only costs a question more.
 */
export function hasHash(name: string): boolean {
  const found = HASH.exec(name)?.[1];
  return found !== undefined && (HEX.test(found) || MIXED.test(found));
}
