/** One transparent pixel (PNG): the launchpad takes no token without an image. */
const BLANK = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The fields of a form beside a blank image, as `multipart/form-data`. */
export function withBlankImage(
  fields: Readonly<Record<string, string>>,
  boundary: string,
): { readonly type: string; readonly body: Uint8Array } {
  const part = (head: string, content: string | Uint8Array) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content as Uint8Array),
    Buffer.from('\r\n'),
  ];
  const body = Buffer.concat([
    ...Object.entries(fields).flatMap(([name, value]) => part(`name="${name}"`, value)),
    ...part('name="image"; filename="blank.png"\r\nContent-Type: image/png', BLANK),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
