import assert from 'node:assert/strict';
import { publicAddressesOnly, systemResolver } from '../../core/platform/address-filter.ts';
import { isPrivateHost, isPublicAddress } from '../../core/platform/addresses.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '100.63.0.1',
  '223.255.255.1',
  '2606:4700::1111',
  '[2a00:1450::1]',
];

const NOT_PUBLIC: [string, string][] = [
  ['this machine', '127.0.0.1'],
  ['this machine, elsewhere in its block', '127.255.1.2'],
  ['this machine, IPv6', '::1'],
  ['any address', '0.0.0.0'],
  ['any address, IPv6', '::'],
  ['a home network', '192.168.1.1'],
  ['an office network', '10.1.2.3'],
  ['a container network', '172.17.0.1'],
  ['the end of it', '172.31.255.255'],
  ['a carrier’s network', '100.64.1.1'],
  ['the metadata service of a cloud', '169.254.169.254'],
  ['the metadata service, IPv6', 'fd00:ec2::254'],
  ['link-local, IPv6', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['a public address with a zone', '2606:4700::1%eth0'],
  ['unique local', 'fc00::1'],
  ['multicast', '224.0.0.1'],
  ['multicast, IPv6', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '203.0.113.7'],
  ['documentation, IPv6', '2001:db8::1'],
  ['IPv4 in IPv6', '::ffff:127.0.0.1'],
  ['IPv4 in IPv6, in hex', '::ffff:7f00:1'],
  ['a public IPv4 in IPv6', '::ffff:8.8.8.8'],
  ['IPv4 behind NAT64', '64:ff9b::7f00:1'],
  ['IPv4 behind 6to4', '2002:7f00:1::'],
  ['Teredo', '2001:0:4136:e378::1'],
  ['a name', 'example.org'],
  ['a short form', '127.1'],
  ['a number', '2130706433'],
  ['nothing', ''],
];

describe('public addresses', () => {
  it('are those of the public internet', () => {
    for (const address of PUBLIC) assert.ok(isPublicAddress(address), address);
  });

  for (const [what, address] of NOT_PUBLIC) {
    it(`are not ${what}: ${address}`, () => assert.ok(!isPublicAddress(address)));
  }
});

describe('private hosts', () => {
  const cases: [string, boolean][] = [
    ['localhost', true],
    ['node.localhost', true],
    ['printer.local', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['10.0.0.1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['8.8.8.8', false],
    ['example.org', false],
    ['localhost.example.org', false],
  ];
  for (const [host, expected] of cases) {
    it(`${host} is ${expected ? 'one' : 'none'}`, () => assert.equal(isPrivateHost(host), expected));
  }
});

describe('the filter of addresses', () => {
  const names: Record<string, string[]> = {
    'good.test': ['8.8.8.8', '2606:4700::1111'],
    'half.test': ['8.8.8.8', '10.0.0.1'],
    'bad.test': ['192.168.0.1'],
    'none.test': [],
  };
  const filter = publicAddressesOnly({
    async addresses(host) {
      const found = names[host];
      if (!found) throw new Error(`${host} is not known.`);
      return found;
    },
  });

  it('gives the addresses that were checked', async () => {
    assert.deepEqual(await filter.allowed('wss://good.test/mesh'), ['8.8.8.8', '2606:4700::1111']);
  });

  const refusals: [string, RegExp][] = [
    ['ws://half.test/mesh', /leads into a private network/],
    ['ws://bad.test/mesh', /leads into a private network.*allowPrivatePeers/],
    ['ws://none.test', /has no address/],
    ['ws://unknown.test', /is not known/],
    ['ws://me:secret@good.test', /with a password/],
    ['not a url', /Invalid URL/],
  ];
  for (const [url, reason] of refusals) {
    it(`refuses ${url}`, () => assert.rejects(filter.allowed(url), reason));
  }

  it('is not deceived by the ways to write an address in a URL', async () => {
    const system = publicAddressesOnly(systemResolver);
    const written = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ];
    for (const host of written) await assert.rejects(system.allowed(`ws://${host}:80/`), /private network/, host);
    assert.deepEqual(await system.allowed('ws://8.8.8.8/mesh'), ['8.8.8.8']);
  });
});
