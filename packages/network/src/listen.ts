import { BadOptions } from './bad-options.ts';
import type { NetworkMember } from './members.ts';
import { claimPorts, isFree, type PortBlock } from './ports.ts';

/**
 * Listeners that open a port, which is a number, or 0 for a free one: by part and listener, such as `{ messenger: { http: 3030 } }`, or
 * by listener alone for all parts that have it, such as `{ http: 0 }`.
 */
export type Listen = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** A listener that opens a port. */
export interface Opened {
  readonly label: string;
  readonly listener: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Place in the options, for messages. */
  readonly where: string;
}

/** Numbers of listeners that open no port count down from here, in a range that no system uses for connections. */
const HIGHEST = 65_535;

/** Address of each listener of a network: by an open port, or only by the parts of this process, under a number. */
export type Addresses = Awaited<ReturnType<typeof getAddresses>>;

/**
 * Every listener that the option opens, in the order of the parts.
 *
 * @throws {BadOptions} if the network does not have it, or two would have one port.
 */
export function toOpened(listen: Listen, members: readonly NetworkMember[]): readonly Opened[] {
  const stated = Object.entries(listen).flatMap(([name, value]) => {
    if (typeof value === 'number') return byListener(name, value, members);
    if (typeof value === 'object' && value !== null) return byPart(name, value, members);
    throw new BadOptions(`listen.${name}: expected a port, or the ports of a part, got ${JSON.stringify(value)}`);
  });
  const taken = new Map<number, string>();
  const places = new Set<string>();
  for (const { label, listener, port, where } of stated) {
    if (!(Number.isInteger(port) && port >= 0 && port <= HIGHEST)) {
      throw new BadOptions(`${where}: expected a port from 1 to 65535, or 0 for a free one, got ${port}`);
    }
    const place = `${label}.${listener}`;
    if (places.has(place)) throw new BadOptions(`${where}: the port of ${place} is stated twice`);
    places.add(place);
    const other = port === 0 ? undefined : taken.get(port);
    if (other !== undefined) throw new BadOptions(`${where}: port ${port} is that of ${other} too`);
    taken.set(port, where);
  }
  return stated;
}

/** @throws {BadOptions} if a requested port is in use. */
export async function checkFree(opened: readonly Opened[]): Promise<void> {
  for (const { port, where } of opened) {
    if (port === 0 || (await isFree(port))) continue;
    throw new BadOptions(
      `${where}: port ${port} of 127.0.0.1 is taken: stop what listens there, or choose another one`,
    );
  }
}

/** Chooses a port or a number for each listener. The ports that are chosen stay claimed until `release`. */
export async function getAddresses(members: readonly NetworkMember[], opened: readonly Opened[]) {
  const wanted = new Set(opened.map(({ port }) => port));
  const block = wanted.has(0) ? await claimPorts() : undefined;
  const ports = new Map<string, number>();
  const open = new Set<number>();
  let number = HIGHEST;
  for (const { label, listeners } of members) {
    for (const listener of listeners) {
      const stated = opened.find((each) => each.label === label && each.listener === listener);
      if (stated === undefined) {
        while (wanted.has(number)) number -= 1;
        ports.set(`${label}.${listener}`, number);
        number -= 1;
        continue;
      }
      const port = stated.port === 0 && block !== undefined ? await nextFree(block, wanted) : stated.port;
      open.add(port);
      ports.set(`${label}.${listener}`, port);
    }
  }
  /** @returns 0 if there is no such listener. */
  const port = (label: string, listener: string) => ports.get(`${label}.${listener}`) ?? 0;
  const closed = new Set([...ports.values()].filter((each) => !open.has(each)));
  return {
    port,
    url: (label: string, listener: string) =>
      `${listener === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port(label, listener)}`,
    isOpen: (each: number) => !closed.has(each),
    release: async () => block?.release(),
  };
}

async function nextFree(block: PortBlock, wanted: ReadonlySet<number>): Promise<number> {
  const port = await block.next();
  return wanted.has(port) ? nextFree(block, wanted) : port;
}

function byListener(listener: string, port: number, members: readonly NetworkMember[]): Opened[] {
  const having = members.filter(({ listeners }) => listeners.includes(listener));
  const where = `listen.${listener}`;
  if (having.length === 0) {
    const names = [...new Set(members.flatMap(({ listeners }) => listeners))].sort();
    throw new BadOptions(`${where}: no part has such a listener: expected ${names.join(', ')}`);
  }
  if (port !== 0 && having.length > 1) {
    const labels = having.map(({ label }) => label).join(', ');
    throw new BadOptions(`${where}: ${labels} have one each: name the part, or choose 0 for free ports`);
  }
  return having.map(({ label }) => ({ label, listener, port, where }));
}

function byPart(label: string, ports: Readonly<Record<string, number>>, members: readonly NetworkMember[]): Opened[] {
  const known = members.find((member) => member.label === label)?.listeners;
  if (known === undefined) {
    const labels = members.map((member) => member.label).join(', ');
    throw new BadOptions(`listen: there is no part ${label}: expected ${labels}`);
  }
  return Object.entries(ports).map(([listener, port]) => {
    const where = `listen.${label}.${listener}`;
    if (known.includes(listener)) return { label, listener, port, where };
    throw new BadOptions(`${where}: ${label} has no such listener: expected ${known.join(', ')}`);
  });
}
