import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import type { InstancePaths } from '../instance/home.ts';
import { type ControlStatus, INSTANCE_VERBS, type InstanceVerb, SERVICE_VERBS, type ServiceVerb } from './protocol.ts';

/** Operations that the socket gives access to. */
export interface Controlled {
  status(): Promise<ControlStatus>;
  service(name: string, verb: ServiceVerb): Promise<void>;
  all(verb: InstanceVerb): Promise<void>;
}

/** Addresses of sockets are short: 104 bytes on macOS, 108 on Linux, with their end. */
const LONGEST = 100;

/**
 * Listens for commands of this user only: the socket's directory is closed to others.
 *
 * @param hold The instance is held by this process, so an existing socket is a left-over.
 * @throws when the system makes no socket there.
 */
export async function serveControl(paths: InstancePaths, controlled: Controlled) {
  const path = placeFor(paths);
  const server = createServer((request, response) => void answer(request, response, controlled));
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.on('error', () => {});
  // Services may be running still when everything else is done.
  server.unref();
  chmodSync(path, 0o600);
  return {
    path,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          forget(path);
          resolve();
        });
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
      }),
  };
}

/** A leftover is harmless, and must not fail the end of a run. */
function forget(path: string): void {
  try {
    rmSync(dirname(path), { recursive: true, force: true });
  } catch {
    // Its directory is lost, or read-only by now.
  }
}

/** Time for responses in flight when the server closes. */
const CLOSE_MS = 200;

function placeFor(paths: InstancePaths): string {
  const usual = join(paths.directory, 'control', 'socket');
  if (Buffer.byteLength(usual) <= LONGEST) {
    mkdirSync(dirname(usual), { recursive: true, mode: 0o700 });
    chmodSync(dirname(usual), 0o700);
    return usual;
  }
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'switchyard-')), 'socket');
  if (Buffer.byteLength(elsewhere) <= LONGEST) return elsewhere;
  rmSync(dirname(elsewhere), { recursive: true });
  return join(mkdtempSync('/tmp/switchyard-'), 'socket');
}

async function answer(request: IncomingMessage, response: ServerResponse, controlled: Controlled): Promise<void> {
  response.on('error', () => {});
  request.resume();
  const send = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://control');
    if (request.method === 'GET' && pathname === '/status') return send(200, await controlled.status());
    const work = request.method === 'POST' ? orderIn(pathname, controlled) : undefined;
    if (work === undefined) return send(404, { error: `no such command: ${request.method} ${pathname}` });
    await work();
    send(200, {});
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send(error instanceof Failure ? 409 : 500, { error: message });
  }
}

function orderIn(pathname: string, controlled: Controlled): (() => Promise<void>) | undefined {
  const [, first = '', name = '', last = ''] = pathname.split('/');
  const verb = SERVICE_VERBS.find((candidate) => candidate === last);
  if (first === 'services' && verb !== undefined) return () => controlled.service(decodeURIComponent(name), verb);
  const all = INSTANCE_VERBS.find((candidate) => pathname === `/${candidate}`);
  return all === undefined ? undefined : () => controlled.all(all);
}
