import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Links } from '../links.ts';
import type { Listen } from '../settings/parsers.ts';
import type { RejectionLog } from '../telemetry/rejections.ts';
import { sleep } from '../timing/abort.ts';
import { connectionAt, PORT_PATIENCE_MS, PORT_RETRY_MS } from './port-sockets.ts';

/** A server could not be bound to its address. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** Connections that wait to be accepted; the system may allow fewer. */
const BACKLOG = 4_096;

/** A server that answers. */
export interface Running {
  /** The real port, also if port 0 was requested. */
  readonly port: number;
  readonly url: string;
  /** Takes no new requests, lets those under way end for a short time, then cuts them. May be called twice. */
  close(): Promise<void>;
}

export interface BindOptions {
  readonly log?: RejectionLog | undefined;
  /** Ends the wait for a port. */
  readonly signal?: AbortSignal | undefined;
  readonly patienceMs?: number;
  /** Address of the server for callers in this process; with links only, nothing listens. */
  readonly links?: Links | undefined;
  /** Mode of a unix socket; only this user may connect, if absent. */
  readonly mode?: number;
}

/**
 * How long a port that a part of this process has closed may stay taken: a child that another thread starts has a copy of every socket
 * until it executes its program, which takes this long on a busy machine.
 */
const CHILD_STARTED_WITHIN_MS = 5_000;
const CHILD_RETRY_MS = 10;

/**
 * Binds a server. A port that only a connection holds becomes free on its own, so that is waited for. So is a port in use if
 * parts share this process, for a few seconds.
 *
 * @param setting The variable that holds the address, named if it cannot be used.
 * @throws {CannotListen} with one line that names address, setting and advice.
 */
export async function bind(
  server: Server,
  { host, port, path }: Listen,
  setting: string,
  { log, signal, patienceMs = PORT_PATIENCE_MS, links, mode = 0o600 }: BindOptions = {},
): Promise<{ port: number; url: string }> {
  const url = `http://${reachable(host)}:${port}`;
  if (links?.isCutOff === true || (path === undefined && links?.isClosed(url) === true)) return { port, url };
  if (links !== undefined) endWith(links, server);
  if (path !== undefined) return bindUnix(server, path, setting, mode);
  const address = { host, port };
  let triesLeft = links === undefined ? 0 : CHILD_STARTED_WITHIN_MS / CHILD_RETRY_MS;
  for (let waitedMs = 0; ; waitedMs += PORT_RETRY_MS) {
    let error = await tryToBind(server, address);
    for (; error?.code === 'EADDRINUSE' && triesLeft > 0; triesLeft -= 1) {
      await sleep(CHILD_RETRY_MS, signal);
      error = await tryToBind(server, address);
    }
    if (error === undefined) break;
    const holder = error.code === 'EADDRINUSE' ? connectionAt(port) : undefined;
    if (holder === undefined || waitedMs >= patienceMs) {
      throw new CannotListen(listenProblem(error, address, setting, holder === undefined ? 0 : waitedMs));
    }
    if (waitedMs === 0) {
      log?.info(
        { address: `${reachable(host, host)}:${port}`, setting, connection: holder, waitsMs: patienceMs },
        'a connection of another program holds the port: waiting for its end',
      );
    }
    await sleep(PORT_RETRY_MS, signal);
  }
  // A server bound to a host and port has an address of this form; only pipes have a string.
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, url: `http://${reachable(host)}:${bound}` };
}

const outlasting = new WeakSet<Socket>();

/** A connection stays if the part that listens ends abruptly. */
export const outlastsItsPart = (socket: Socket): void => void outlasting.add(socket);

/** Frees the port and breaks all other connections if the part that listens ends abruptly. */
function endWith(links: Links, server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const end = (): void => {
    server.close();
    for (const socket of sockets) if (!outlasting.has(socket)) socket.destroy();
  };
  links.onCutOff(end);
  server.on('listening', () => links.isCutOff && end());
}

function tryToBind(server: Server, { host, port }: Listen): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (error?: Error): void => {
      server.off('error', settle);
      server.off('close', closed);
      server.off('listening', listening);
      resolve(error);
    };
    const listening = (): void => settle();
    // Its part was cut off in the meantime.
    const closed = (): void => settle(new Error('the server was closed'));
    server.once('error', settle);
    server.once('close', closed);
    server.once('listening', listening);
    // A burst of connections is shared out by us; beyond the system's standard of 511 it would drop some, whosever they are.
    server.listen({ host, port, backlog: BACKLOG });
  });
}

/**
 * Binds to a unix socket. A socket file left behind by a process is replaced.
 *
 * The socket is made in a directory that no other user can enter, and moved when its mode is right: there is no moment
 * in which others could connect.
 */
async function bindUnix(server: Server, path: string, setting: string, mode: number) {
  await removeStale(path, setting);
  let made: string | undefined;
  try {
    made = mkdtempSync(join(dirname(path), '.'));
    const first = join(made, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: first }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(first, mode);
    renameSync(first, path);
  } catch (error) {
    server.close();
    const why = error instanceof Error ? error.message : String(error);
    throw new CannotListen(`cannot listen on unix:${path} (${setting}): ${why}; check ${setting}`);
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
  const { ino } = lstatSync(path);
  server.once('close', () => {
    // Another process may have taken the place.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
  });
  return { port: 0, url: `unix:${path}` };
}

async function removeStale(path: string, setting: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const problem = (what: string) => new CannotListen(`cannot listen on unix:${path} (${setting}): ${what}`);
  if (!stats.isSocket()) throw problem(`there is something else; remove it or set ${setting} to another path`);
  const isUsed = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true));
    probe.on('error', () => resolve(false));
    probe.on('close', () => probe.destroy());
    probe.once('connect', () => probe.destroy());
  });
  if (isUsed) throw problem('a program listens there already; stop it or choose another path');
  rmSync(path);
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Listen, setting: string, waitedMs: number) {
  const where = `cannot listen on ${reachable(host, host)}:${port} (${setting})`;
  switch (error.code) {
    case 'EADDRINUSE':
      if (waitedMs > 0)
        return `${where}: a connection of another program still holds port ${port} after ${waitedMs / 1_000} s; end that program or set ${setting} to another port`;
      return `${where}: port ${port} is already in use; stop the program that uses it or set ${setting} to another port`;
    case 'EACCES':
      return `${where}: no permission for port ${port}; set ${setting} to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: ${host} is not an address of this machine; set ${setting} to 127.0.0.1:${port} or 0.0.0.0:${port}`;
    default:
      return `${where}: ${error.message}; check ${setting}`;
  }
}

/** Address of the server for a client on this machine. */
function reachable(host: string, any = '127.0.0.1'): string {
  const one = host === '0.0.0.0' || host === '::' ? any : host;
  return one.includes(':') ? `[${one}]` : one;
}
