import { createServer, type Server } from 'node:net';

/*
 * Ports of a network: a block of consecutive ones. The first is bound for as long as the network lives, which tells other networks, of
 * this process and of others, that the block is taken; its parts bind and release the rest.
 */

/** Below the ports that Linux gives to outgoing connections (32,768 on), which no listener could have. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Ports of a block: enough for ten rollups with everything. */
const BLOCK = 60;
const BLOCKS = (HIGHEST - LOWEST) / BLOCK;

export interface PortBlock {
  /** Takes a port that no process listens on at the moment. @throws {Error} if the block is used up. */
  next(): Promise<number>;
  release(): Promise<void>;
}

/** Claims a block that is free. @throws {Error} if there is none. */
export async function claimPorts(): Promise<PortBlock> {
  // Networks of several processes begin at different places, so that they rarely meet.
  const start = (process.pid * 7) % BLOCKS;
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const first = LOWEST + ((start + tried) % BLOCKS) * BLOCK;
    const claim = await listen(first);
    if (claim !== undefined) return blockOf(claim, first);
  }
  throw new Error(`no free ports between ${LOWEST} and ${HIGHEST}`);
}

function blockOf(claim: Server, first: number): PortBlock {
  let port = first;
  return {
    async next() {
      for (port += 1; port < first + BLOCK; port += 1) if (await isFree(port)) return port;
      throw new Error(`no free ports between ${first} and ${first + BLOCK}`);
    },
    release: () => closed(claim),
  };
}

/** Whether a listener on loopback could have the port now. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await closed(server);
  return true;
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server.unref()));
  });
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
