import { createServer } from 'node:net';
import { Problems } from '../../failure.ts';
import { holderOf, lingers } from '../supervisor/listeners.ts';
import type { PortUse } from '../supervisor/spec.ts';

/** Names what a process belongs to, such as a service of another instance; `undefined` for a stranger. */
export type Whose = (pid: number) => string | undefined;

/**
 * Makes sure that every port is free, before anything is started.
 *
 * @throws {Failure} with one line for each port that is not: port, service, setting, and who holds it if known.
 */
export async function requireFreePorts(uses: readonly PortUse[], whose: Whose = () => undefined): Promise<void> {
  const problems = new Problems();
  const refusals = await Promise.all(uses.map((use) => (use.port === 0 ? undefined : tryToListen(use))));
  for (const [index, use] of uses.entries()) {
    const code = refusals[index];
    if (code === undefined) continue;
    problems.add(`port ${use.port} of ${use.service} (${use.use})`, await explain(use, code, whose));
  }
  problems.throwIfAny();
}

async function explain({ host, port, where }: PortUse, code: string, whose: Whose): Promise<string> {
  if (code === 'EACCES') return `may not be bound by this user: change ${where}`;
  if (code !== 'EADDRINUSE') return `cannot be bound on ${host} (${code}): change ${where}`;
  const holder = await holderOf(port);
  const known = holder === undefined ? undefined : whose(holder.pid);
  const elsewhere = `or change ${where}, or use an instance made with --port-offset`;
  if (lingers(port)) return `in use by a connection that has just ended: try again in a minute, ${elsewhere}`;
  if (holder?.listens === false) {
    return `in use by a connection from process ${holder.pid} (${holder.command}) to elsewhere: try again when that has ended, ${elsewhere}`;
  }
  if (holder !== undefined && known !== undefined) {
    return `in use by ${known} (process ${holder.pid}): stop that, ${elsewhere}`;
  }
  const who = holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command})`;
  return `in use by ${who}: end it, ${elsewhere}`;
}

/** @returns The system's error code, or `undefined` when the port is free. */
function tryToListen({ host, port }: PortUse): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
