/** A result that is JSON already. A long one is sent piece by piece, so that no thread handles all of it at once. */
export class JsonBytes {
  /** JSON of a value without integers above 2^53. Each piece has memory of its own, which can be handed to another thread. */
  static readonly piecesOf = jsonPieces;
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** Characters that are put together before they become bytes. */
const PIECE = 262_144;
/** Within this many lists and records, and in a list of this many, each member is made as one text. */
const DEPTH = 6;
const MANY = 16;

function jsonPieces(value: unknown): Uint8Array[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let text = '';
  const write = (more: string): void => {
    text += more;
    if (text.length < PIECE) return;
    pieces.push(encoder.encode(text));
    text = '';
  };
  const walk = (each: unknown, depth: number): void => {
    if (typeof each !== 'object' || each === null || depth === 0) {
      write(JSON.stringify(each) ?? 'null');
      return;
    }
    const isList = Array.isArray(each);
    const members = isList ? each.entries() : Object.entries(each).filter(([, member]) => member !== undefined);
    let between = '';
    write(isList ? '[' : '{');
    for (const [name, member] of members) {
      write(isList ? between : `${between}${JSON.stringify(name)}:`);
      walk(member, isList && each.length > MANY ? 0 : depth - 1);
      between = ',';
    }
    write(isList ? ']' : '}');
  };
  walk(value, DEPTH);
  if (text !== '') pieces.push(encoder.encode(text));
  return pieces;
}
