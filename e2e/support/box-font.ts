/*
 * A font whose letters are boxes of one width. With it, pictures of a page are the same on machines with other fonts.
 */

const CHARACTERS = [...Array.from({ length: 95 }, (_, index) => 0x20 + index), 0xb7, 0xd7, 0x2013, 0x2014, 0x2026];
const UNITS = 1_000;
const ADVANCE = 550;
const [ASCENT, DESCENT] = [800, -200];
/** Left, bottom, right and top of a letter. */
const BOX = [50, 0, 500, 520] as const;
/** The glyph for characters that are not listed, the space, and the box. */
const GLYPHS = 3;

const i16 = (...values: readonly number[]) => bytes(2, values);
const i32 = (...values: readonly number[]) => bytes(4, values);

function bytes(size: 2 | 4, values: readonly number[]): Buffer {
  const all = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) {
    if (size === 2) all.writeUInt16BE(value & 0xffff, 2 * index);
    else all.writeUInt32BE(value >>> 0, 4 * index);
  }
  return all;
}

function boxGlyph(): Buffer {
  const [left, bottom, right, top] = BOX;
  // One contour of four points on the curve; coordinates are differences of 16 bits.
  const header = i16(1, ...BOX, 3, 0);
  const x = i16(left, right - left, 0, left - right);
  const y = i16(bottom, 0, top - bottom, 0);
  return Buffer.concat([header, Buffer.from([1, 1, 1, 1]), x, y]);
}

function tables(): Readonly<Record<string, Buffer>> {
  const glyph = boxGlyph();
  const groups = CHARACTERS.map((code) => i32(code, code, code === 0x20 ? 1 : 2));
  const subtable = Buffer.concat([i16(12, 0), i32(16 + 12 * groups.length, 0, groups.length), ...groups]);
  const [left, bottom, right, top] = BOX;
  return {
    'OS/2': Buffer.concat([
      i16(4, ADVANCE, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0),
      Buffer.alloc(10),
      i32(1, 0, 0, 0),
      Buffer.from('NONE'),
      i16(0x40, 0x20, 0xffff, ASCENT, DESCENT, 0, ASCENT, -DESCENT),
      i32(1, 0),
      i16(520, 700, 0, 0x20, 1),
    ]),
    cmap: Buffer.concat([i16(0, 1, 3, 10), i32(12), subtable]),
    glyf: glyph,
    head: Buffer.concat([
      i32(0x10000, 0x10000, 0, 0x5f0f3cf5),
      i16(11, UNITS),
      Buffer.alloc(16),
      i16(left, bottom, right, top, 0, 8, 2, 0, 0),
    ]),
    hhea: Buffer.concat([
      i32(0x10000),
      i16(ASCENT, DESCENT, 0, ADVANCE, 0, ADVANCE - right, right, 1, 0, 0, 0, 0, 0, 0, 0, GLYPHS),
    ]),
    hmtx: i16(ADVANCE, 0, ADVANCE, 0, ADVANCE, left),
    loca: i16(0, 0, 0, glyph.length / 2),
    maxp: Buffer.concat([i32(0x10000), i16(GLYPHS, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: i16(0, 0, 6),
    post: Buffer.concat([i32(0x30000, 0), i16(-100, 50), i32(0, 0, 0, 0, 0)]),
  };
}

/** The font as a TrueType file. */
export function boxFont(): Buffer {
  const all = Object.entries(tables());
  let offset = 12 + 16 * all.length;
  const directory = [i32(0x10000), i16(all.length, 128, 3, 16 * all.length - 128)];
  const contents: Buffer[] = [];
  for (const [tag, data] of all) {
    directory.push(Buffer.from(tag), i32(0, offset, data.length));
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    contents.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([...directory, ...contents]);
}

/** Script that has a page draw all text with it, which its policy permits: nothing is fetched. */
export const useBoxFont = `(async () => {
  const bytes = Uint8Array.from(atob(${JSON.stringify(boxFont().toString('base64'))}), (each) => each.charCodeAt(0));
  const font = await new FontFace('Box', bytes).load();
  document.fonts.add(font);
  const style = new CSSStyleSheet();
  style.replaceSync('* { font-family: Box !important; animation: none !important; transition: none !important; caret-color: transparent !important; }');
  document.adoptedStyleSheets = [style];
  return font.status;
})()`;
