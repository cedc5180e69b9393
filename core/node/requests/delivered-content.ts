import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { fromBase64 } from '../../platform/bytes.ts';

type Request = SchemaTypes['deliver-request'];
type Found = Uint8Array | { readonly payload_uri: string };

/** The names under which clients send the content, and how each is read. */
const READ = {
  content: (text) => Buffer.from(text, 'utf8'),
  text: (text) => Buffer.from(text, 'utf8'),
  payload: (text) => Buffer.from(text, 'utf8'),
  content_b64: fromBase64,
  payload_b64: fromBase64,
  inline_b64: fromBase64,
  payload_uri: (payload_uri) => ({ payload_uri }),
} as const satisfies Partial<Record<keyof Request, (text: string) => Found | undefined>>;
const NAMES = Object.keys(READ) as (keyof typeof READ)[];

/** What a request delivers: its content, or where it is. */
export function contentIn(request: Request): Found {
  const [name, ...more] = NAMES.filter((name) => request[name] !== undefined);
  if (!name)
    throw invalidField(
      '/content',
      'is needed: send text as content, bytes as content_b64, or an address as payload_uri',
    );
  if (more.length > 0) throw severalContents([name, ...more]);
  const given = request[name];
  if (typeof given !== 'string')
    throw invalidField('/payload', 'must be a string: send JSON as text in content, with its content_type');
  const found = READ[name](given);
  if (!found) throw invalidField(`/${name}`, 'is not base64');
  return found;
}

function severalContents(names: readonly string[]): MeshError {
  const message = `is given together with others (${names.join(', ')}): send only one of them`;
  const fields = names.map((name) => ({ pointer: `/${name}`, message }));
  return new MeshError('invalid_request', {
    detail: `A delivery has one content: ${names.join(', ')} were given.`,
    fields,
  });
}
