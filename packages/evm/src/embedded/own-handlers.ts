import { type EVM, getOpcodesForHF } from '@ethereumjs/evm';
import { COPIES, type CopyingFrame } from './copies.ts';
import { internalsOf, type LibraryFrame, libraryFrames } from './internals.ts';
import { JUMPS, type JumpingFrame } from './jumps.ts';
import { type Rules, WORDS, type WordFrame } from './words.ts';

type OwnHandler = (frame: CopyingFrame & JumpingFrame & WordFrame, rules: Rules) => void | Promise<void>;

/** Opcodes that are ours in every machine, traced or not, because the library's work more than is paid for. */
export const OWN_HANDLERS: ReadonlyMap<number, OwnHandler> = new Map<number, OwnHandler>([
  ...COPIES,
  ...JUMPS,
  ...WORDS,
]);

/** Puts them into a machine, where it has the library's own. */
export async function useOwnHandlers(evm: EVM): Promise<void> {
  const { _opcodeMap: operations } = internalsOf(evm);
  const { handlers } = getOpcodesForHF(evm.common);
  for (const [code, opHandler] of OWN_HANDLERS) {
    const found = operations[code];
    if (found === undefined) throw new Error(`the EVM library has no opcode ${code}: another version is installed`);
    if (found.opHandler === handlers.get(code)) operations[code] = { ...found, opHandler };
  }
  searching.add(evm);
  searchNothing(await libraryFrames());
}

const searching = new WeakSet<object>();
let search: LibraryFrame['_getValidJumpDestinations'] | undefined;

/** The library's loop wants operations by position; the rest of its search is what `jumps.ts` has in its place. */
function searchNothing(frames: LibraryFrame): void {
  if (search !== undefined) return;
  search = frames._getValidJumpDestinations;
  const original = search;
  frames._getValidJumpDestinations = function (this: LibraryFrame, code) {
    if (!searching.has(this._evm)) return original.call(this, code);
    const { _opcodeMap: operations } = this._evm;
    const opcodesCached: unknown[] = [];
    for (let at = 0; at < code.length; at++) opcodesCached.push(operations[code[at] ?? 0]);
    return { opcodesCached, pushes: {}, jumps: NO_BYTES };
  };
}

const NO_BYTES = new Uint8Array();
