import { createServer } from 'node:net';
import { findHolder } from '@switchyard/network/supervisor/listeners';
import type { PortUse } from '@switchyard/network/supervisor/spec';
import { connectionAt, PORT_PATIENCE_MS, PORT_RETRY_MS, sleep } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { instanceArguments } from '../instance/home.ts';
import { MAX_OFFSET, PORTS } from '../instance/ports.ts';
import type { Owner } from '../instance/run-file.ts';

/** Names the running instance that a process belongs to; `undefined` for a stranger. */
export type Whose = (pid: number) => Owner | undefined;

export interface PortCheckOptions {
  readonly whose?: Whose;
  /** Waits for ports that a connection holds, and reports that in one line. Absent: nothing is waited for. */
  readonly onWait?: (line: string) => void;
  readonly patienceMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Why ports cannot be bound, with advice: one for each port, but only one for all that another instance has. */
export interface TakenPorts {
  readonly what: string;
  readonly advice: string;
}

interface Refusal {
  readonly use: PortUse;
  /** Error code of the system, such as EADDRINUSE. */
  readonly code: string;
}

/**
 * Makes sure that every port is free, before anything is started.
 *
 * @throws {Failure} with one line for each reason: ports, services, settings, their holders if known, and advice.
 */
export async function requireFreePorts(uses: readonly PortUse[], options: PortCheckOptions = {}): Promise<void> {
  const { whose = () => undefined, onWait, patienceMs = PORT_PATIENCE_MS, signal } = options;
  for (let waitedMs = 0; ; waitedMs += PORT_RETRY_MS) {
    const refused = await refusals(uses);
    if (refused.length === 0) return;
    const waits = onWait !== undefined && waitedMs < patienceMs && refused.every(isPassing);
    if (!waits) throw await toFailure(refused, whose);
    if (waitedMs === 0) {
      const ports = refused.map(({ use }) => `${use.port} (${use.service})`).join(', ');
      onWait(`connections of other programs hold ports: waiting up to ${patienceMs / 1_000} s for ${ports}`);
    }
    await sleep(PORT_RETRY_MS, signal);
  }
}

/** Finds ports that cannot be bound now. */
export async function takenPorts(uses: readonly PortUse[], whose: Whose): Promise<TakenPorts[]> {
  return describe(await refusals(uses), whose);
}

async function toFailure(refused: readonly Refusal[], whose: Whose): Promise<Failure> {
  const lines = (await describe(refused, whose)).map(({ what, advice }) => `${what}: ${advice}`);
  const offset = await freeOffset();
  if (offset !== undefined)
    lines.push(
      `or use ports that are free, in another instance: \`switchyard dev init --instance NAME --port-offset ${offset}\``,
    );
  return new Failure(lines.join('\n'));
}

async function describe(refused: readonly Refusal[], whose: Whose): Promise<TakenPorts[]> {
  const single: TakenPorts[] = [];
  const instances = new Map<string, { readonly owner: Owner; readonly uses: PortUse[] }>();
  for (const refusal of refused) {
    const holder = refusal.code === 'EADDRINUSE' ? await findHolder(refusal.use.port) : undefined;
    const owner = holder?.listens === true ? whose(holder.pid) : undefined;
    if (owner === undefined) {
      single.push(explain(refusal, holder));
      continue;
    }
    const stop = instanceArguments(owner);
    const known = instances.get(stop) ?? { owner, uses: [] };
    instances.set(stop, known);
    known.uses.push(refusal.use);
  }
  const shared = [...instances].map(([stop, { owner, uses }]) => {
    const [first, ...more] = uses;
    const isOne = first !== undefined && more.length === 0;
    const ports = isOne ? toName(first) : `ports ${uses.map(({ port }) => port).join(', ')}`;
    return {
      what: `${ports}: in use by instance ${owner.name}, which runs`,
      advice: `stop it with \`switchyard dev stop${stop}\`${isOne ? `, or change ${first.where}` : ''}`,
    };
  });
  return [...shared, ...single];
}

const toName = ({ service, use, port }: PortUse) => `port ${port} of ${service} (${use})`;

function explain({ use, code }: Refusal, holder: Awaited<ReturnType<typeof findHolder>>): TakenPorts {
  const { host, port, where } = use;
  const what = (state: string) => `${toName(use)}: ${state}`;
  if (code === 'EACCES') return { what: what('may not be bound by this user'), advice: `change ${where}` };
  if (code !== 'EADDRINUSE') return { what: what(`cannot be bound on ${host} (${code})`), advice: `change ${where}` };
  if (connectionAt(port) === 'ended') {
    const state = 'in use by a connection that has just ended';
    return { what: what(state), advice: `try again in a minute, or change ${where}` };
  }
  const who = holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command})`;
  return holder?.listens === false
    ? {
        what: what(`in use by a connection from ${who} to elsewhere`),
        advice: `try again when that has ended, or change ${where}`,
      }
    : { what: what(`in use by ${who}`), advice: `end it, or change ${where}` };
}

/** Whether the port becomes free on its own. */
function isPassing({ use, code }: Refusal): boolean {
  return code === 'EADDRINUSE' && connectionAt(use.port) !== undefined;
}

async function refusals(uses: readonly PortUse[]): Promise<Refusal[]> {
  const codes = await Promise.all(uses.map((use) => (use.port === 0 ? undefined : tryToListen(use))));
  return uses.flatMap((use, index) => {
    const code = codes[index];
    return code === undefined ? [] : [{ use, code }];
  });
}

/** The smallest hundred by which a whole network of ours finds its ports free. */
async function freeOffset(): Promise<number | undefined> {
  for (let offset = 100; offset <= MAX_OFFSET; offset += 100) {
    const ports = PORTS.map((port) => port + offset);
    const codes = await Promise.all(ports.map((port) => tryToListen({ host: '127.0.0.1', port })));
    if (codes.every((code) => code === undefined)) return offset;
  }
  return undefined;
}

/** @returns The system's error code, or `undefined` when the port is free. */
function tryToListen({ host, port }: Pick<PortUse, 'host' | 'port'>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
