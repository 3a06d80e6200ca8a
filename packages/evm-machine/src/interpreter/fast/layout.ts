/*
 * Memory of the module that runs instructions, which scripts/wasm/interpreter writes. A room is the part of it that one frame has.
 */

/** Rooms of a module. Frames that are deeper run without. */
export const ROOMS = 16;
/** Parts of a room, in bytes from its beginning. Before the stack is as much as the furthest word is below its top. */
export const STACK_AT = 17 * 32;
export const OWN_AT = STACK_AT + 1_024 * 32;
export const HEADER_AT = OWN_AT + 3 * 32;
export const PART_BYTES = 65_536;
export const MEMORY_AT = PART_BYTES;
export const CODE_AT = 2 * PART_BYTES;
export const TARGETS_AT = 3 * PART_BYTES;
export const ROOM_BYTES = 4 * PART_BYTES;

/** Before the rooms is the place of Keccak. */
export const FIRST_ROOM = ROOM_BYTES;

/** Numbers in the header of a room, each of 32 bits. */
export const HEADER = { pc: 0, depth: 1, gas: 2, reach: 3, length: 4, inputLength: 5 };
