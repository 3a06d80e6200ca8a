import { expect, test } from 'vitest';
import { clientOf, nameClient } from './client.ts';
import { Proxies } from './proxies.ts';

test.each([
  ['an IPv4 address', '10.0.0.7', undefined, 0, '10.0.0.7'],
  ['one that is mapped into IPv6', '::ffff:10.0.0.7', undefined, 0, '10.0.0.7'],
  ['an IPv6 address by its first half', '2001:db8:1:2:3:4:5:6', undefined, 0, '2001:db8:1:2::/64'],
  ['the same half in another spelling', '2001:0DB8:1:2::9', undefined, 0, '2001:db8:1:2::/64'],
  ['loopback', '::1', undefined, 0, '0:0:0:0::/64'],
  ['one with a zone', 'fe80::1%eth0', undefined, 0, 'fe80:0:0:0::/64'],
  ['one with a dotted end', '64:ff9b::10.0.0.7', undefined, 0, '64:ff9b:0:0::/64'],
  ['no header of a stranger', '10.0.0.7', '1.2.3.4', 0, '10.0.0.7'],
  ['what our proxy added', '10.0.0.1', 'forged, 1.2.3.4', 1, '1.2.3.4'],
  ['what the first of two added', '10.0.0.1', 'forged, 1.2.3.4, 10.0.0.2', 2, '1.2.3.4'],
  ['what the last of two added where the header is too short', '10.0.0.1', '1.2.3.4', 2, '1.2.3.4'],
  // Defect: `X-Forwarded-For` of any peer was believed: any pod drained the faucet
  ['the connection of a stranger, with a header as if a proxy had asked', '192.0.2.7', '1.2.3.4', 1, '192.0.2.7'],
  [
    'what a proxy added that a stranger asked, as if it were the second',
    '10.0.0.1',
    '1.2.3.4, 192.0.2.7',
    2,
    '192.0.2.7',
  ],
  ['what a proxy with an IPv6 address added', '2001:db8::7', '1.2.3.4', 1, '1.2.3.4'],
  ['the connection where the header is no address', '10.0.0.1', 'unknown', 1, '10.0.0.1'],
  ['the connection where there is no header', '10.0.0.1', undefined, 1, '10.0.0.1'],
  ['neither address nor header', undefined, undefined, 0, 'local'],
])('%s', (_, socket, forwarded, proxies, expected) => {
  const incoming = {
    socket: { remoteAddress: socket },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  };
  nameClient(incoming, new Proxies({ proxyCount: proxies, trustedProxies: ['10.0.0.0/16', '1.2.3.4', '2001:db8::7'] }));
  expect(clientOf({ incoming })).toBe(expected);
});
