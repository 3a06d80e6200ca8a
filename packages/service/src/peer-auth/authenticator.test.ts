import { chmodSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLoopback } from '../input/loopback.ts';
import { InvalidConfig } from '../settings/config.ts';
import { manualClock, memoryLogger } from '../testing.ts';
import { Authenticator, type PeerRule } from './authenticator.ts';
import type { Peer } from './caller.ts';
import { logPeers } from './log-peers.ts';
import { newSecret, SecretFile } from './secret-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'peer-auth-'));
const SECRET = 'a-secret-that-is-long-enough-to-be-one';

function fileWith(text: string, mode = 0o600, name = `secret-${newSecret()}`): string {
  const path = join(directory, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

const peer = (change: Partial<Peer> = {}): Peer => ({
  address: '10.0.0.7',
  isLocal: false,
  certificate: undefined,
  connection: { isClosed: false },
  ...change,
});
const local = peer({ address: '127.0.0.1', isLocal: true });
const settings = { rule: 'X_AUTH', secret: 'X_SECRET_FILE' };
const withSecret = new SecretFile(fileWith(`${SECRET}\n`), 'X_SECRET_FILE');
const PATH = '/astria.execution.v2.ExecutionService/CreateExecutionSession';

function decide(rule: PeerRule, from: Peer, headers: Record<string, string>, { secret = true, path = PATH } = {}) {
  const auth = new Authenticator({ rule, secret: secret ? withSecret : undefined, settings });
  const admission = auth.admit(from, headers, path);
  return admission.kind === 'admitted' ? (admission.caller.credential ?? 'admitted') : admission.reason;
}

const right = { authorization: `Bearer ${SECRET}` };
const wrong = { authorization: `Bearer ${SECRET}x` };

test.each<[string, PeerRule, Peer, Record<string, string>, string | RegExp]>([
  ['a local peer without a secret', 'local', local, {}, 'admitted'],
  ['a local peer with the secret', 'local', local, right, 'secret'],
  ['a local peer with a wrong secret', 'local', local, wrong, /the secret is wrong/],
  ['a local peer with another scheme', 'local', local, { authorization: SECRET }, /the secret is wrong/],
  ['a remote peer without a secret', 'local', peer(), {}, /a peer on another machine needs a secret/],
  ['a remote peer with the secret', 'local', peer(), right, 'secret'],
  ['a remote peer with a wrong secret', 'local', peer(), wrong, /the secret is wrong/],
  ['a remote peer with a certificate', 'local', peer({ certificate: 'AB' }), {}, 'certificate AB'],
  ['a certificate with a wrong secret', 'local', peer({ certificate: 'AB' }), wrong, /the secret is wrong/],
  ['what a local proxy passes on', 'local', local, { 'x-forwarded-for': '10.0.0.9' }, /a proxy passes on needs/],
  ['what a local proxy passes on, with the secret', 'local', local, { via: 'h2', ...right }, 'secret'],
  ['a local peer where all need a secret', 'secret', local, {}, /X_AUTH=secret asks every peer/],
  ['a remote peer where no peer needs a secret', 'open', peer(), {}, 'admitted'],
  ['a wrong secret where no peer needs one', 'open', peer(), wrong, /the secret is wrong/],
])('%s', (_, rule, from, headers, expected) => {
  expect(decide(rule, from, headers)).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

test('without a secret here, local peers may call, whatever they show, and others get the setting to set', () => {
  expect(decide('local', local, wrong, { secret: false })).toBe('admitted');
  expect(decide('local', peer(), right, { secret: false })).toMatch(/set X_SECRET_FILE on both ends/);
});

test('a probe needs no secret, and nothing else of the health service goes without', () => {
  expect(decide('secret', peer(), {}, { path: '/grpc.health.v1.Health/Check' })).toBe('admitted');
  expect(decide('secret', peer(), {}, { path: '/grpc.health.v1.Health/Watch' })).toMatch(/secret/);
  expect(decide('secret', peer(), {}, { path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' })).toMatch(
    /secret/,
  );
});

test('no refusal has anything of a secret', () => {
  for (const headers of [wrong, { authorization: SECRET }])
    expect(decide('local', local, headers)).not.toContain(SECRET);
});

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['::FFFF:127.0.0.1', true],
  ['::ffff:7f00:1', true],
  ['::ffff:10.0.0.1', false],
  ['::ffff:8.8.127.0', false],
  ['10.127.0.1', false],
  ['1127.0.0.1', false],
  ['127.0.0.1.example', false],
  ['::2', false],
  ['fe80::1%lo', false],
  ['0.0.0.0', false],
  ['', false],
  [undefined, false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test.each([
  ['others can read', SECRET, 0o640, /others than its owner can use it \(mode 0640\); chmod 600 it/],
  ['the world can read', SECRET, 0o604, /mode 0604/],
  ['is too short', 'short', 0o600, /something else/],
  ['has more than one line', `${SECRET}\n${SECRET}`, 0o600, /something else/],
  ['is too long', 'x'.repeat(2_000), 0o600, /2000 bytes/],
])('a file that %s is refused, without its text', (_, text, mode, problem) => {
  const path = fileWith(text, mode);
  expect(() => new SecretFile(path, 'X_SECRET_FILE')).toThrow(InvalidConfig);
  expect(() => new SecretFile(path, 'X_SECRET_FILE')).toThrow(problem);
  expect(() => new SecretFile(path, 'X_SECRET_FILE')).not.toThrow(text);
});

test('a file that is not there is named with its setting', () => {
  expect(() => new SecretFile('/nowhere/secret', 'X_SECRET_FILE')).toThrow(
    /^X_SECRET_FILE: .*\/nowhere\/secret: ENOENT/,
  );
});

test('a new secret counts without a restart, and a file that breaks leaves the old one', async () => {
  const clock = manualClock();
  const path = fileWith(SECRET);
  const file = new SecretFile(path, 'X', clock);
  const next = newSecret();
  writeFileSync(path, next);
  utimesSync(path, 1, 1);
  expect(file.reveal()).toBe(SECRET);
  await clock.advance(1_000);
  expect(file.reveal()).toBe(next);
  chmodSync(path, 0o644);
  await clock.advance(1_000);
  expect(file.reveal()).toBe(next);
});

test('printing shows nothing of a secret', () => {
  expect(JSON.stringify({ withSecret })).not.toContain(SECRET);
});

test.each<[string, string, PeerRule, boolean, string | undefined]>([
  [
    '0.0.0.0 without a secret',
    '0.0.0.0',
    'local',
    false,
    'only loopback peers may call this address: no secret is set for others',
  ],
  [
    '0.0.0.0 with one',
    '0.0.0.0',
    'local',
    true,
    'loopback peers may call this address without a secret, others need it',
  ],
  ['0.0.0.0 where all need one', '0.0.0.0', 'secret', true, undefined],
  ['0.0.0.0 for everybody', '0.0.0.0', 'open', true, 'every peer that reaches this address may call, without a secret'],
  ['a loopback address', '127.0.0.1', 'local', false, undefined],
])('%s is worth this line', (_, host, rule, hasSecret, line) => {
  const { log, lines } = memoryLogger();
  const authenticator = new Authenticator({ rule, secret: hasSecret ? withSecret : undefined, settings });
  logPeers({ host, port: 50_051 }, { authenticator }, log);
  expect(lines.map(({ msg }) => msg)).toEqual(line === undefined ? [] : [line]);
});
