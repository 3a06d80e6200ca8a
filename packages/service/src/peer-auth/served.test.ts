import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { Health } from '../gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts';
import { serveGrpc } from '../grpc/server.ts';
import { grpcTransport } from '../grpc/transport.ts';
import { isTransportFailure } from '../http/transport-failure.ts';
import type { Listen } from '../settings/parsers.ts';
import { memoryLogger } from '../testing.ts';
import { Authenticator, type PeerRule } from './authenticator.ts';
import { type Caller, getCaller } from './caller.ts';
import type { PeerCredentials } from './credentials.ts';
import { newSecret, SecretFile } from './secret-file.ts';
import { readTls, type TlsMaterial } from './tls.ts';

const { SubmissionService } = ownComposer;
const directory = mkdtempSync(join(tmpdir(), 'served-'));
const secretText = newSecret();
const secretPath = join(directory, 'secret');
writeFileSync(secretPath, secretText, { mode: 0o600 });
const secret = new SecretFile(secretPath, 'X_SECRET_FILE');
const otherPath = join(directory, 'other');
writeFileSync(otherPath, newSecret(), { mode: 0o600 });
const otherSecret = new SecretFile(otherPath, 'X_SECRET_FILE');

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Choices {
  readonly rule?: PeerRule;
  readonly listen?: Listen;
  readonly tls?: TlsMaterial | undefined;
}

async function served({ rule = 'secret', listen = { host: '127.0.0.1', port: 0 }, tls }: Choices = {}) {
  const { log, lines } = memoryLogger();
  const callers: Caller[] = [];
  const settings = { rule: 'X_AUTH', secret: 'X_SECRET_FILE' };
  const server = await serveGrpc({
    listen,
    name: 'X',
    services: [SubmissionService],
    log,
    graceMs: 20,
    auth: { authenticator: new Authenticator({ rule, secret, settings }), tls },
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => ({}),
        getSubmission(_, context) {
          callers.push(getCaller(context));
          return { state: { case: 'queued', value: {} } };
        },
        async *listPending(_, context) {
          callers.push(getCaller(context));
          yield { data: [] };
        },
      }),
  });
  closers.push(server.close);
  return { server, callers, lines };
}

function transportTo(url: string, credentials: PeerCredentials = {}) {
  const transport = grpcTransport(url, { credentials, timeoutMs: 5_000 });
  closers.push(transport.close);
  return transport;
}

const clientOf = (url: string, credentials?: PeerCredentials) =>
  createClient(SubmissionService, transportTo(url, credentials));

const getCode = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => Code[ConnectError.from(error).code],
  );

const getList = async (client: ReturnType<typeof clientOf>) => {
  for await (const _ of client.listPending({}));
};

test('gRPC with the secret is served, calls and streams, and the service knows who calls', async () => {
  const { server, callers } = await served();
  const client = clientOf(server.url, { secret });
  expect([await getCode(client.getSubmission({})), await getCode(getList(client))]).toEqual(['ok', 'ok']);
  expect(callers).toMatchObject([{ credential: 'secret' }, { credential: 'secret' }]);
  expect(callers[0]?.connection).toBe(callers[1]?.connection);
  expect(callers[0]?.connection.isClosed).toBe(false);
});

test.each([
  ['no', undefined],
  ['a wrong', otherSecret],
])('every kind of call is refused with %s secret', async (_, shown) => {
  const { server, callers, lines } = await served();
  const client = clientOf(server.url, { secret: shown });
  expect(await getCode(client.getSubmission({}))).toBe('Unauthenticated');
  expect(await getCode(getList(client))).toBe('Unauthenticated');
  const reflection = createClient(ServerReflection, transportTo(server.url, { secret: shown }));
  const ask = async () => {
    for await (const _ of reflection.serverReflectionInfo((async function* () {})()));
  };
  expect(await getCode(ask())).toBe('Unauthenticated');
  expect(callers).toEqual([]);
  // Three refusals; those after the first follow as one line with their number.
  expect(lines.filter(({ reason }) => reason === 'unauthenticated')).toMatchObject([
    { msg: 'a client is refused', peer: '127.0.0.1', message: expect.stringContaining('secret') },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${secretText}|${otherSecret.reveal()}`));
});

test('a probe is answered without', async () => {
  const { server } = await served();
  expect(await getCode(createClient(Health, transportTo(server.url)).check({}))).toBe('ok');
});

test('on loopback none is needed, unless a proxy passes the call on or the secret is wrong', async () => {
  const { server, callers } = await served({ rule: 'local', listen: { host: '0.0.0.0', port: 0 } });
  const client = clientOf(server.url);
  expect(await getCode(client.getSubmission({}))).toBe('ok');
  expect(callers[0]).toMatchObject({ credential: undefined, address: '127.0.0.1' });
  const forwarded = { headers: { 'x-forwarded-for': '10.1.1.1' } };
  expect(await getCode(client.getSubmission({}, forwarded))).toBe('Unauthenticated');
  expect(await getCode(clientOf(server.url, { secret: otherSecret }).getSubmission({}))).toBe('Unauthenticated');
});

test('an IPv4 peer of an IPv6 listener is on loopback', async () => {
  const { server, callers } = await served({ rule: 'local', listen: { host: '::', port: 0 } });
  const client = clientOf(`http://127.0.0.1:${server.port}`);
  expect(await getCode(client.getSubmission({}))).toBe('ok');
  expect(callers[0]?.address).toBe('::ffff:127.0.0.1');
});

test('a unix socket is for its owner alone, replaces one that was left behind, and not one in use', async () => {
  const path = join(directory, 'x.sock');
  const { server, callers } = await served({ rule: 'local', listen: { host: '', port: 0, path } });
  expect([server.url, statSync(path).mode & 0o777]).toEqual([`unix:${path}`, 0o600]);
  const client = clientOf(server.url);
  expect([await getCode(client.getSubmission({})), await getCode(getList(client))]).toEqual(['ok', 'ok']);
  expect(callers[0]?.address).toBe('unix socket');
  await expect(served({ listen: { host: '', port: 0, path } })).rejects.toThrow(/a program listens there already/);
  await server.close();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '');
  await expect(served({ listen: { host: '', port: 0, path } })).rejects.toThrow(/there is something else/);
  const left = join(directory, 'left.sock');
  const script = `require('net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(() => execFileSync(process.execPath, ['-e', script])).toThrow();
  expect(statSync(left).isSocket()).toBe(true);
  await served({ rule: 'local', listen: { host: '', port: 0, path: left } });
});

test('a unix socket asks for the secret where all are asked', async () => {
  const path = join(directory, 'y.sock');
  const { server } = await served({ listen: { host: '', port: 0, path } });
  expect(await getCode(clientOf(server.url).getSubmission({}))).toBe('Unauthenticated');
  expect(await getCode(clientOf(server.url, { secret }).getSubmission({}))).toBe('ok');
});

/** An authority and certificates that it signed, made by openssl. */
function authority(name: string) {
  const at = (file: string) => join(directory, `${name}-${file}`);
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...curve,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  );
  const issue = (who: string) => {
    openssl('req', ...curve, '-keyout', at(`${who}.key`), '-out', at(`${who}.csr`), '-subj', `/CN=${who}`);
    writeFileSync(at('ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    const signed = [
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
      '-CAcreateserial',
      '-extfile',
      at('ext'),
      '-days',
      '2',
    ];
    openssl('x509', '-req', '-in', at(`${who}.csr`), '-out', at(`${who}.pem`), ...signed);
    chmodSync(at(`${who}.key`), 0o600);
    return { cert: at(`${who}.pem`), key: at(`${who}.key`) };
  };
  return { ca: at('ca.pem'), issue };
}

const files = (parts: { readonly cert?: string; readonly key?: string; readonly ca?: string }) =>
  readTls({
    cert: { path: parts.cert, setting: 'X_TLS_CERT_FILE' },
    key: { path: parts.key, setting: 'X_TLS_KEY_FILE' },
    ca: { path: parts.ca, setting: 'X_TLS_CA_FILE' },
  });

test('with mutual TLS a certificate is the credential, and connections without one do not come about', async () => {
  const own = authority('ours');
  const theirs = authority('theirs');
  const { server, callers } = await served({ tls: files({ ...own.issue('server'), ca: own.ca }) });
  expect(server.url).toMatch(/^https:/);
  const client = clientOf(server.url, { tls: files({ ...own.issue('conductor'), ca: own.ca }) });
  expect([await getCode(client.getSubmission({})), await getCode(getList(client))]).toEqual(['ok', 'ok']);
  expect(callers[0]?.credential).toMatch(/^certificate [0-9A-F:]{95}$/);
  for (const tls of [
    files({ ca: own.ca }),
    files({ ...theirs.issue('conductor'), ca: own.ca }),
    files({ ca: theirs.ca }),
  ]) {
    const error = await clientOf(server.url, { tls })
      .getSubmission({})
      .catch((each: unknown) => each);
    expect(isTransportFailure(error)).toBe(true);
  }
  expect(
    isTransportFailure(
      await clientOf(server.url.replace('https', 'http'))
        .getSubmission({})
        .catch((e) => e),
    ),
  ).toBe(true);
  expect(callers).toHaveLength(2);
});

test('TLS without client certificates still asks for the secret', async () => {
  const own = authority('plain');
  const { server } = await served({ tls: files(own.issue('server')) });
  const tls = files({ ca: own.ca });
  expect(await getCode(clientOf(server.url, { tls }).getSubmission({}))).toBe('Unauthenticated');
  expect(await getCode(clientOf(server.url, { tls, secret }).getSubmission({}))).toBe('ok');
});

test('a handshake that never ends keeps no server from closing', async () => {
  const own = authority('slow');
  const { server } = await served({ tls: files(own.issue('server')) });
  const { connect } = await import('node:net');
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  await server.close();
  socket.destroy();
});

test.each([
  ['a key without its certificate', { key: '/x' }, /X_TLS_CERT_FILE: expected a file, since X_TLS_KEY_FILE names one/],
  ['a file that is not there', { ca: '/nowhere' }, /X_TLS_CA_FILE: .*ENOENT/],
  ['a file of something else', { ca: otherPath, cert: otherPath, key: otherPath }, /X_TLS_CERT_FILE.*PEM/],
])('%s is a mistake', (_, parts, problem) => {
  expect(() => files(parts)).toThrow(problem);
});

test('a server of another protocol on the socket is a transport failure', async () => {
  const path = join(directory, 'z.sock');
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(path, resolve));
  closers.push(() => void other.close());
  const error = await clientOf(`unix:${path}`)
    .getSubmission({})
    .catch((each: unknown) => each);
  expect(isTransportFailure(error)).toBe(true);
});
