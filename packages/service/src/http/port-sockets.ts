import { readFileSync } from 'node:fs';

export interface PortSocket {
  /** Name of the socket in the links of `/proc/PID/fd`. */
  readonly name: string;
  readonly user: number;
  readonly listens: boolean;
  /** Kept by the system for a minute after its connection has ended; no process has it any more. */
  readonly lingers: boolean;
}

const LISTEN = '0A';
const TIME_WAIT = '06';

/** All TCP sockets whose own end is this port, as Linux shows them; none on other systems. */
export function socketsAt(port: number): PortSocket[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    read(table)
      .split('\n')
      .flatMap((line) => {
        if (!line.includes(suffix)) return [];
        const [, local, , state, , , , user, , inode] = line.trim().split(/\s+/);
        if (inode === undefined || local?.endsWith(suffix) !== true) return [];
        const [listens, lingers] = [state === LISTEN, state === TIME_WAIT];
        return [{ name: `socket:[${inode}]`, user: Number(user), listens, lingers }];
      }),
  );
}

/** Whether a port has no listener, and a connection from it that is open, or has just ended: such a port becomes free on its own. */
export function connectionAt(port: number): 'open' | 'ended' | undefined {
  const found = socketsAt(port);
  if (found.length === 0 || found.some(({ listens }) => listens)) return undefined;
  return found.every(({ lingers }) => lingers) ? 'ended' : 'open';
}

/** How long to wait for a port that a connection holds: Linux keeps that of an ended one for a minute. */
export const PORT_PATIENCE_MS = 75_000;
export const PORT_RETRY_MS = 500;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
