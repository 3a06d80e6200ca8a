import { compileWasm } from '@switchyard/protocol/wasm';
import { type Fork, includes } from '../../fork.ts';
import { INTERPRETERS, KECCAK_CONSTANTS } from '../../gen/wasm/interpreter.ts';

/* Modules that run the instructions of a fork that need no state: see scripts/wasm/interpreter/module.ts. */

export interface FastModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Runs the frame whose room begins there, from the position in its header. */
  readonly run: (room: number) => void;
}

/** Instructions that the modules of the fork run. */
export function fastOpcodes(fork: Fork): readonly number[] {
  return getInterpreter(fork).opcodes;
}

/** A module of the fork, with a memory of its own. */
export function createFastModule(fork: Fork): FastModule {
  const { module } = getInterpreter(fork);
  const create = compiled.get(module) ?? compileWasm(module);
  compiled.set(module, create);
  // All of them export these.
  const made = create() as FastModule;
  new Uint8Array(made.memory.buffer).set(Buffer.from(KECCAK_CONSTANTS, 'base64'));
  return made;
}

const compiled = new Map<string, () => unknown>();

function getInterpreter(fork: Fork) {
  const found = INTERPRETERS.findLast(({ since }) => includes(fork, since));
  if (found === undefined) throw new Error(`no module for fork ${fork}`);
  return found;
}
