import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdentityError, openKeyFile, requireAgentId } from '../../core/host/key-file.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';

describe('the key file', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'identity-'));
    path = join(folder, 'identity.key');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made at the first start, for its owner only, and read at the next', () => {
    const made = openKeyFile(path, systemRandom);
    assert.equal(readFileSync(path).length, 32);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(openKeyFile(path, systemRandom).address, made.address);
  });

  it('holds the seed as raw bytes', () => {
    writeFileSync(
      path,
      Uint8Array.from({ length: 32 }, (_, index) => index),
      { mode: 0o600 },
    );
    assert.equal(openKeyFile(path, systemRandom).address, 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF');
  });

  for (const mode of [0o640, 0o604, 0o644, 0o660]) {
    it(`is refused with mode ${mode.toString(8)}, with the command that helps`, () => {
      openKeyFile(path, systemRandom);
      chmodSync(path, mode);
      assert.throws(() => openKeyFile(path, systemRandom), refusal(`mode ${mode.toString(8)}`, `chmod 600 ${path}`));
    });
  }

  for (const length of [31, 33, 64]) {
    it(`is refused with ${length} bytes`, () => {
      writeFileSync(path, new Uint8Array(length), { mode: 0o600 });
      assert.throws(() => openKeyFile(path, systemRandom), refusal(`holds ${length} bytes`, 'Restore it'));
      assert.equal(readFileSync(path).length, length);
    });
  }

  it('is refused when empty, and left alone', () => {
    writeFileSync(path, '', { mode: 0o600 });
    assert.throws(() => openKeyFile(path, systemRandom), refusal('is empty', 'delete the file'));
    assert.equal(readFileSync(path).length, 0);
  });

  it('cannot be made in a folder that does not exist', () => {
    assert.throws(() => openKeyFile(join(folder, 'missing', 'identity.key'), systemRandom), { code: 'ENOENT' });
  });

  it('decides who the node is', () => {
    const identity = openKeyFile(path, systemRandom);
    requireAgentId(identity, identity.address, path);
    requireAgentId(identity, Buffer.from(identity.key).toString('hex'), path);
    const other = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
    assert.throws(() => requireAgentId(identity, other, path), refusal(identity.address, 'Leave out --agent-id'));
    assert.throws(() => requireAgentId(identity, 'me', path), refusal('neither base58 nor 64 hex digits'));
  });
});

function refusal(...words: string[]) {
  return (error: unknown) => error instanceof IdentityError && words.every((word) => error.message.includes(word));
}
