import assert from 'node:assert/strict';
import { PublicKey } from '@solana/web3.js';
import { burnUsdc, CHAINS, chainNamed } from '../../plugins/billing/settlement/index.ts';
import { derivedAddress, isOnCurve } from '../../plugins/billing/settlement/solana/addresses.ts';

const OWNER = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';
const EVENT = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const DEVNET = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const MAINNET = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const burn = (change: object = {}) =>
  burnUsdc({
    ...{ owner: OWNER, mint: DEVNET, event: EVENT, amount: 4_950_000n, destination: chainNamed('base')! },
    ...{ recipient: '0x1111111111111111111111111111111111111111', maxFee: 25_000n, finality: 1_000 },
    ...change,
  });

describe('a burn on Solana', () => {
  it('is the instruction of the transfer service, byte for byte', () => {
    const { data } = burn();
    assert.equal(
      Buffer.from(data).toString('hex'),
      [
        '6ff53e83cc6cdf9b',
        'f0874b0000000000',
        '06000000',
        `${'00'.repeat(12)}${'11'.repeat(20)}`,
        '00'.repeat(32),
        'a861000000000000',
        'e8030000',
        '20000000',
        '636374702d666f72776172640000000000000000000000000000000000000000',
      ].join(''),
    );
  });

  it('names the accounts of the service in their order', () => {
    const at = (index: number, change?: object) => burn(change).accounts[index]!.address;
    assert.equal(burn().accounts.length, 18);
    assert.equal(at(2), '45hzrGLQ2EGo1Ln7QpXjDwb589GDQ9H2aEXXw6ds6BFE');
    assert.equal(at(5), 'W1k5ijkaSTo5iA5zChNpfzcy796fLhkBxfmJuR8W8HU');
    assert.equal(at(6), 'AawthJCGRmggpfv9MMWV6Jmo9cue4gL9wUZgRBShg58W');
    assert.equal(at(7), 'BwmDYtQ7jFj8ddaTmKa7fz9hyuK9n58mvc8G7DYNcKjM');
    assert.equal(at(7, { destination: chainNamed('arbitrum')! }), '53NSDvEXmUixWSsCQF5rnTxcKdihq19WXNaZFXrX3ojf');
    assert.equal(at(7, { destination: chainNamed('ethereum')! }), '3EzN2mcmdfSNGXRCAixSpTteK6ywdmFDZZWvkMnznFt9');
    assert.equal(at(8), 'E1bQJ8eMMn3zmeSewW3HQ8zmJr7KR75JonbwAtWx2bux');
    assert.equal(at(9), '7MwmWTK2R9Na6rnoSAEt5gytFmSZj9WLVdazvxvru9AU');
    assert.equal(at(9, { mint: MAINNET }), 'CRBBbuLCyrkQy4dCTHxqstSmDQv4ajBeUVb9qUdMVaP1');
    assert.equal(at(16), '6TCCnJ9R1m1RXFzyoH7GYH2J6NJDtZaUvfipPuLWxHNd');
    const signers = burn().accounts.flatMap(({ signer, address }) => (signer ? address : []));
    assert.deepEqual(signers, [OWNER, OWNER, EVENT]);
  });

  it('goes to the domain of the transfer service, which numbers six chains otherwise than the specification', () => {
    const domain = (name: string) => Buffer.from(burn({ destination: chainNamed(name)! }).data).readUInt32LE(16);
    const different = CHAINS.filter(({ name, domainId }) => name !== 'solana' && domain(name) !== domainId);
    assert.deepEqual(
      different.map(({ name, domainId }) => [name, domainId, domain(name)]),
      [
        ['sei', 12, 16],
        ['unichain', 16, 10],
        ['world chain', 25, 14],
        ['hyperevm', 1420, 19],
        ['sonic', 64165, 13],
        ['ink', 65536, 21],
      ],
    );
  });

  it('derives addresses as the ledger does', () => {
    for (let i = 0; i < 64; i++) {
      const seed = Buffer.alloc(32, i + 1);
      const program = new PublicKey(seed);
      assert.equal(isOnCurve(seed), PublicKey.isOnCurve(seed), String(i));
      const [expected] = PublicKey.findProgramAddressSync([Buffer.from('vault'), seed], program);
      assert.equal(derivedAddress(program.toBase58(), ['vault', seed]), expected.toBase58());
    }
  });
});
