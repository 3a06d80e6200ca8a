import type { Memory, Program } from './process.ts';

/* Processes in containers of our image, wherever these run. */

/** The user of the images. */
export const USER = 65_532;

/** Paths of mounted files and directories in a container. */
export const PLACES = {
  data: '/data',
  genesis: '/etc/switchyard/genesis',
  key: '/etc/switchyard/key',
  keyFile: 'private-key',
} as const;

/** Share of a container's memory that Node may keep in its heap; the rest is for buffers, code and mapped files. */
const HEAP_SHARE = 0.6;
const MEBI = 1024 * 1024;

/** @param limit Memory of the container, in the notation of a manifest. */
export function getCommand({ name, memory }: Program, limit: string): string[] {
  return ['node', ...getFlags(memory, limit), `/app/bin/${name}.mjs`];
}

/** The variable with the same options, for a program that an image starts. */
export const toOptions = ({ memory }: Program, limit: string) => ({ NODE_OPTIONS: getFlags(memory, limit).join(' ') });

function getFlags({ young }: Memory, limit: string): string[] {
  const heap = Math.max(32, Math.floor((parseQuantity(limit) * HEAP_SHARE) / MEBI));
  return [`--max-semi-space-size=${young}`, `--max-old-space-size=${heap}`];
}

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: MEBI, Gi: 1024 * MEBI, Ti: MEBI * MEBI };

/** Bytes of a quantity as a manifest has it, such as `256Mi`. */
export function parseQuantity(quantity: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)(\w*)$/.exec(quantity) ?? [];
  return Number(digits) * (UNITS[unit] ?? 1);
}
