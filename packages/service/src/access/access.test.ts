import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Access, CLOSED, createGate, type Provenance } from './access.ts';

const gate = (access: Partial<Access> = {}, bound = '127.0.0.1') =>
  createGate({ ...CLOSED, ...access }, bound, 'build-7');

const request = (facts: Partial<Provenance>): Provenance => ({
  method: 'POST',
  path: '/',
  host: '127.0.0.1:80',
  origin: undefined,
  forwardedHost: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  upgrade: false,
  ...facts,
});

test.each([
  ['localhost', true],
  ['LOCALHOST.:8080', true],
  ['page.localhost:3030', true],
  ['127.0.0.1', true],
  ['10.1.2.3:50051', true],
  ['[::1]:50051', true],
  ['[2001:db8::1]', true],
  ['build-7:9000', true],
  ['bound.example', true],
  ['node.example:443', true],
  ['a.b.cluster.local', true],
  ['evil.example', false],
  ['cluster.local', false],
  ['evilcluster.local', false],
  ['node.example.evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['composer', false],
  ['user@localhost', false],
  ['localhost:80:80', false],
  ['localhost/', false],
  ['', false],
])('a request to %s: %s', (host, allowed) => {
  const { refusal } = gate({ hosts: ['node.example', '*.cluster.local'] }, 'bound.example');
  expect(refusal(request({ host })) === undefined).toBe(allowed);
});

test('a refusal names the setting, and * takes every name', () => {
  const settings = { hosts: 'X_ALLOWED_HOSTS', origins: 'X_CORS_ORIGIN', trusted: 'X_ALLOWED_ORIGINS' };
  expect(gate({ settings }).refusal(request({ host: 'evil.example' }))).toEqual({
    code: 'host-not-allowed',
    message: expect.stringMatching(/^host "evil\.example" is not a name of this service; .* X_ALLOWED_HOSTS/),
  });
  expect(gate({ hosts: ['*'] }).refusal(request({ host: 'evil.example' }))).toBeUndefined();
  for (const [method, setting] of [
    ['POST', 'X_ALLOWED_ORIGINS'],
    ['GET', 'X_CORS_ORIGIN'],
  ] as const)
    expect(gate({ settings }).refusal(request({ method, origin: 'http://evil.example' }))).toEqual({
      code: 'origin-not-allowed',
      message: expect.stringContaining(setting),
    });
});

test('programs of HTTP/1.0 name no host', () => {
  expect(gate().refusal(request({ host: undefined }))).toBeUndefined();
});

const evil = { origin: 'http://evil.example' };
const navigation = { method: 'GET', fetchSite: 'cross-site', fetchMode: 'navigate' };

test.each([
  ['a program', {}, [true, true, true]],
  ['its own page', { origin: 'http://127.0.0.1:80' }, [true, true, true]],
  ['its own page with the standard port left out', { origin: 'http://127.0.0.1' }, [true, true, true]],
  ['its own page, by sec-fetch-site', { fetchSite: 'same-origin' }, [true, true, true]],
  ['a page of another port', { origin: 'http://127.0.0.1:81' }, [false, false, true]],
  ['a page of another site', evil, [false, false, true]],
  ['a page without an origin', { origin: 'null' }, [false, false, true]],
  ['a page that reads', { ...evil, method: 'GET' }, [false, true, true]],
  ['a page that asks for a WebSocket', { ...evil, method: 'GET', upgrade: true }, [false, false, true]],
  ['a preflight', { ...evil, method: 'OPTIONS' }, [false, false, true]],
  ['a script that loads', { method: 'GET', fetchSite: 'cross-site', fetchMode: 'no-cors' }, [false, true, true]],
  ['a form of another site', { ...navigation, method: 'POST' }, [false, false, true]],
  ['a link', navigation, [true, true, true]],
  ['a page whose name points here', { ...evil, host: 'evil.example' }, [false, false, false]],
  ['a page that cannot really send this header', { ...evil, forwardedHost: 'evil.example' }, [false, false, true]],
])('%s', (_, facts, expected) => {
  const may = (['nothing', 'read', 'everything'] as const).map(
    (foreignPages) => gate({ foreignPages, publicPosts: ['/'] }).refusal(request(facts)) === undefined,
  );
  expect(may).toEqual(expected);
});

test.each(['nothing', 'read', 'everything'] as const)(
  'what signs or changes something is for trusted pages: %s',
  (foreignPages) => {
    const trustedOrigins = ['https://wallet.example'];
    const { refusal } = gate({ foreignPages, trustedOrigins, origins: ['*'], publicPosts: ['/send'] });
    const may = (facts: Partial<Provenance>) => refusal(request({ path: '/sign', ...facts })) === undefined;
    const foreign = [
      evil,
      { origin: 'null' },
      { fetchSite: 'cross-site' },
      { fetchSite: 'same-site', fetchMode: 'navigate' },
    ];
    for (const facts of foreign)
      for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) expect(may({ ...facts, method })).toBe(false);
    expect([may({}), may({ origin: 'https://wallet.example' }), may({ ...evil, path: '/send' })]).toEqual([
      true,
      true,
      true,
    ]);
  },
);

test('a page behind a proxy that changes the host is its own page where its name is listed', () => {
  const behind = request({ origin: 'https://faucet.example', forwardedHost: 'faucet.example', host: '10.0.0.1' });
  expect(gate({ foreignPages: 'read', hosts: ['faucet.example'] }).refusal(behind)).toBeUndefined();
  expect(gate({ foreignPages: 'read' }).refusal(behind)?.code).toBe('origin-not-allowed');
});

test('pages of listed origins may call, and only they may read answers', () => {
  const { refusal, readableBy } = gate({ origins: ['https://wallet.example'], publicPosts: ['/'] });
  expect(refusal(request({ origin: 'https://wallet.example:443' }))).toBeUndefined();
  expect(refusal(request({ origin: 'http://wallet.example' }))?.code).toBe('origin-not-allowed');
  expect([readableBy('https://wallet.example'), readableBy('https://evil.example')]).toEqual([
    'https://wallet.example',
    undefined,
  ]);
});

test('no header makes the gate throw, and none but a host that is allowed passes', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}\.[a-z]{2,5}$/);
  const text = fc.option(
    fc.oneof(
      fc.string(),
      name,
      name.map((each) => `http://${each}`),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(name, text, text, text, (host, origin, forwardedHost, fetchSite) => {
      const answer = gate().refusal(request({ host, origin, forwardedHost, fetchSite }));
      expect(answer?.code).toBe('host-not-allowed');
    }),
    { numRuns: 30 },
  );
});
