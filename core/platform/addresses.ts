import { BlockList, isIP, isIPv6 } from 'node:net';

/** Networks that are not the public internet, from IANA's registries of special-purpose addresses. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** Only global unicast is public in IPv6, without the ranges that stand for IPv4 addresses or for nothing. */
const GLOBAL_V6 = '2000::/3';
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special4 = listOf(SPECIAL_V4, 'ipv4');
const special6 = listOf(SPECIAL_V6, 'ipv6');
const global6 = listOf([GLOBAL_V6], 'ipv6');

/**
 * Whether an address leads to the public internet. False for this machine, its networks, IPv6 addresses that wrap
 * IPv4 ones, and text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '');
  switch (isIP(plain)) {
    case 4:
      return !special4.check(plain, 'ipv4');
    case 6:
      return !plain.includes('%') && global6.check(plain, 'ipv6') && !special6.check(plain, 'ipv6');
    default:
      return false;
  }
}

/** Whether a host as written leads to this machine or its networks: a literal address, or a name reserved for it. */
export function isPrivateHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(plain) !== 0) return !isPublicAddress(plain) && plain !== '0.0.0.0' && plain !== '::';
  return /(^|\.)(localhost|local|internal|home\.arpa|lan)\.?$/.test(plain);
}

/**
 * The unit in which addresses are counted: an IPv4 address, or an IPv6 network, since its hosts have 2^64 addresses
 * each.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:') || !isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const groups = ip.includes('::') ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right] : left;
  return groups.slice(0, 4).join(':');
}

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net, prefix] = subnet.split('/');
    list.addSubnet(net!, Number(prefix), family);
  }
  return list;
}
