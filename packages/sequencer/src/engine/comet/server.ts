import { createServer, type Socket } from 'node:net';
import { bind, findPeer, Rejections, repeatedWarnings } from '@switchyard/service';
import type { EngineLog } from '../engine.ts';
import { type AbciAddress, formatAbciAddress } from './address.ts';
import { type ConnectionDeps, serveConnection } from './connection.ts';

/** CometBFT opens four. A few more may be there for a moment while it starts again. */
const MAX_CONNECTIONS = 16;

export interface AbciServer {
  /** The address as CometBFT's configuration spells it. */
  readonly url: string;
  /** Takes no more requests; resolves when the last one in progress is done. */
  close(): Promise<void>;
}

export interface AbciServerDeps extends Omit<ConnectionDeps, 'misread'> {
  readonly log: EngineLog;
}

/** Waits for CometBFT's connections and answers them. */
export async function listenAbci(address: AbciAddress, deps: AbciServerDeps): Promise<AbciServer> {
  const open = new Map<Socket, Promise<void>>();
  const rejections = new Rejections(deps.log);
  const misreadings = repeatedWarnings(deps.log, {
    one: 'connection of CometBFT ended: it is not understood',
    several: 'connections of CometBFT ended: they are not understood',
  });
  // The peer chooses the problem's text, so it is no reason of its own.
  const misread = (socket: Socket, problem: string): void =>
    misreadings.add('not-understood', findPeer(socket.remoteAddress), { problem });
  const server = createServer({ noDelay: true }, (socket) => {
    if (open.size >= MAX_CONNECTIONS) {
      // CometBFT's own came first, or is this one: any other idle connection makes room.
      const silent = [...open.keys()].findLast(({ bytesRead }) => bytesRead === 0);
      rejections.add('connection-dropped', findPeer(socket.remoteAddress), { connections: open.size });
      (silent ?? socket).destroy();
      if (silent === undefined) return;
      open.delete(silent);
    }
    const served = serveConnection(socket, { ...deps, misread }).finally(() => open.delete(socket));
    open.set(socket, served);
  });
  const place = address.kind === 'tcp' ? address : { host: '', port: 0, path: address.path };
  // A process that may write to it may decide about the blocks that the node executes.
  const { port } = await bind(server, place, 'SVC_SEQUENCER_LISTEN_ADDR', { log: deps.log, mode: 0o660 });
  return {
    url: formatAbciAddress(address.kind === 'tcp' ? { ...address, port } : address),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const last = [...open.values()];
      for (const socket of open.keys()) socket.destroy();
      await Promise.all(last);
      await closed;
    },
  };
}
