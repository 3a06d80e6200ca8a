import type { Code } from './code.ts';
import { createRooms, fits, type Room } from './fast/room.ts';
import { Frame } from './frame.ts';
import type { Table } from './table.ts';

/** Frames without a room that are kept for the next calls, 8 MiB: each has a stack of 32 KiB. */
const KEPT_FRAMES = 256;
const withoutRoom: Frame[] = [];

/** Frames for the calls of one execution at a time, each inside the one before. */
export class Frames {
  readonly #inRooms: readonly Frame[];

  constructor(table: Table) {
    this.#inRooms = getRooms(table).map((room) => new Frame(room));
  }

  /** @param depth Calls that it is inside of. */
  take(depth: number, code: Code): Frame {
    const inRoom = fits(code) ? this.#inRooms[depth] : undefined;
    return inRoom ?? withoutRoom.pop() ?? new Frame();
  }

  give(frame: Frame): void {
    frame.end();
    if (frame.room === undefined && withoutRoom.length < KEPT_FRAMES) withoutRoom.push(frame);
  }
}

function getRooms({ fork }: Table): readonly Room[] {
  try {
    return createRooms(fork);
  } catch (error) {
    // An engine reserves gigabytes of addresses for each module's memory. Frames run without, too.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Kept for each fork: more are only needed when this many executions wait for their turn. */
const KEPT = 4;
const free = new Map<Table, Frames[]>();

export function takeFrames(table: Table): Frames {
  return free.get(table)?.pop() ?? new Frames(table);
}

/** Gives back frames that all have ended. */
export function freeFrames(table: Table, frames: Frames): void {
  const kept = free.get(table) ?? [];
  free.set(table, kept);
  if (kept.length < KEPT) kept.push(frames);
}
