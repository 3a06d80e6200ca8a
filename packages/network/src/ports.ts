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
  const held = await holdPorts(
    Array.from({ length: BLOCKS }, (_, tried) => LOWEST + ((start + tried) % BLOCKS) * BLOCK),
    1,
  );
  if (held === undefined) throw new Error(`no free ports between ${LOWEST} and ${HIGHEST}`);
  const { first, release } = held;
  let port = first;
  return {
    async next() {
      for (port += 1; port < first + BLOCK; port += 1) if (await isFree(port)) return port;
      throw new Error(`no free ports between ${first} and ${first + BLOCK}`);
    },
    release,
  };
}

/**
 * Listens on consecutive ports until they are released, so that no other process takes them.
 *
 * @param candidates First ports, of which the first with free ones is taken.
 * @param isWanted Whether the ports from this one on may be taken; asked again once they are held.
 * @returns `undefined` if something listens among the ports of each candidate.
 */
export async function holdPorts(candidates: Iterable<number>, length: number, isWanted = (_first: number) => true) {
  for (const first of candidates) {
    // Asked before too: the processes that these ports belong to may be about to listen.
    if (!isWanted(first)) continue;
    const servers = await Promise.all(Array.from({ length }, (_, index) => listen(first + index)));
    const release = async () => void (await Promise.all(servers.map(closed)));
    if (servers.every((server) => server !== undefined) && isWanted(first)) return { first, release };
    await release();
  }
  return undefined;
}

/** Whether a listener on loopback could have the port now. */
export async function isFree(port: number): Promise<boolean> {
  const held = await holdPorts([port], 1);
  await held?.release();
  return held !== undefined;
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server.unref()));
  });
}

const closed = (server: Server | undefined): Promise<void> =>
  new Promise((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
