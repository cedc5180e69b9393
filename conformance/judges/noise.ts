import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Handshake, PROTOCOL_NAME } from '../../core/mesh/noise/handshake.ts';
import { keyPairFrom } from '../../core/mesh/noise/x25519.ts';
import type { Failure, Judge } from '../judge.ts';
import { debianPackage } from '../provide/debian.ts';

const PACKAGE = 'golang-github-flynn-noise-dev';
const VECTORS = 'usr/share/gocode/src/github.com/flynn/noise/vectors.txt';
const HANDSHAKE_MESSAGES = 3;

type Vector = Readonly<Record<string, string>>;

const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'hex');

export const noise: Judge = {
  name: 'Noise XX sessions',
  source: `vectors of ${PACKAGE}`,
  exceptions: [],
  async judge() {
    const text = readFileSync(join(await debianPackage(PACKAGE), VECTORS), 'utf8');
    const ours = text
      .split(/\n\s*\n/)
      .map(parsed)
      // A pre-shared key is another pattern, which the mesh does not speak.
      .filter((vector) => vector['handshake'] === PROTOCOL_NAME && vector['preshared_key'] === undefined);
    const failures: Failure[] = ours.flatMap((vector, index) => {
      const found = differenceOf(vector);
      return found === undefined ? [] : [{ name: `vector ${index + 1}`, found }];
    });
    return { cases: ours.length, failures };
  },
};

function parsed(block: string): Vector {
  return Object.fromEntries(block.split('\n').flatMap((line) => (line.includes('=') ? [line.split('=')] : [])));
}

/** Plays both sides; what is not as the vector says, in words. */
function differenceOf(vector: Vector): string | undefined {
  const side = (initiator: boolean, name: string) =>
    new Handshake({
      initiator,
      prologue: bytes(vector['prologue']),
      staticKey: keyPairFrom(bytes(vector[`${name}_static`])),
      ephemeralKey: keyPairFrom(bytes(vector[`gen_${name}_ephemeral`])),
    });
  const [initiator, responder] = [side(true, 'init'), side(false, 'resp')];
  const said = (index: number) => [vector[`msg_${index}_payload`], vector[`msg_${index}_ciphertext`]] as const;
  for (let index = 0; index < HANDSHAKE_MESSAGES; index += 1) {
    const [writer, reader] = index % 2 === 0 ? [initiator, responder] : [responder, initiator];
    const [payload, ciphertext] = said(index);
    const message = Buffer.from(writer.write(bytes(payload)));
    if (message.toString('hex') !== ciphertext) return `handshake message ${index} is ${message.toString('hex')}`;
    if (!Buffer.from(reader.read(message)).equals(bytes(payload))) return `handshake message ${index} is read wrongly`;
  }
  const [first, second] = [initiator.split(), responder.split()];
  for (let index = HANDSHAKE_MESSAGES; vector[`msg_${index}_ciphertext`] !== undefined; index += 1) {
    // The vectors let the initiator begin again after the handshake.
    const [sender, receiver] = index % 2 === 0 ? [second, first] : [first, second];
    const [payload, ciphertext] = said(index);
    const message = Buffer.from(sender.send.encrypt(bytes(payload)));
    if (message.toString('hex') !== ciphertext) return `transport message ${index} is ${message.toString('hex')}`;
    if (!Buffer.from(receiver.receive.decrypt(message)).equals(bytes(payload)))
      return `message ${index} is read wrongly`;
  }
  return undefined;
}
