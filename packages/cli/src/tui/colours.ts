import names from 'color-name';

/*
 * The colours of the web by name, and the sequences that select one.
 */

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Names of all colours, for "did you mean". */
export const COLOUR_NAMES: readonly string[] = Object.keys(names);

/** A web name in any letter case, or `#rrggbb`; undefined when it is neither. */
export function parseColour(text: string): Rgb | undefined {
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(names, word)) return names[word];
  if (!/^#[0-9a-f]{6}$/.test(word)) return undefined;
  const [red = 0, green = 0, blue = 0] = Buffer.from(word.slice(1), 'hex');
  return [red, green, blue];
}

/** How many colours a terminal supports, as its environment variables declare. */
export type Depth = 'all' | '256' | '16' | 'none';

export function computeDepth(env: Readonly<Record<string, string | undefined>>): Depth {
  const { TERM: term = '', COLORTERM: more = '' } = env;
  if ((env.NO_COLOR ?? '') !== '' || /^(dumb|vt\d+|.*-mono)$/.test(term)) return 'none';
  if (/truecolor|24bit/i.test(more) || /-direct$/.test(term)) return 'all';
  return /^(linux|xterm|screen|tmux|rxvt|ansi|cygwin|.*-16color)$/.test(term) ? '16' : '256';
}

/** The sequence that makes text this colour. */
export function foreground(colour: Rgb, depth: Depth): string {
  return getSequence(colour, depth, { plain: 30, bright: 90, extended: 38 });
}

/** The sequence that puts text on ground of this colour, and makes the text legible there. */
export function background(colour: Rgb, depth: Depth): string {
  if (depth === 'none') return '';
  const [red, green, blue] = colour;
  // Perceived lightness, as ITU-R BT.601 weighs it.
  const isLight = red * 0.299 + green * 0.587 + blue * 0.114 > 140;
  return getSequence(colour, depth, { plain: 40, bright: 100, extended: 48 }) + (isLight ? '\u001b[30m' : '\u001b[97m');
}

function getSequence(
  [red, green, blue]: Rgb,
  depth: Depth,
  { plain, bright, extended }: { plain: number; bright: number; extended: number },
): string {
  switch (depth) {
    case 'none':
      return '';
    case 'all':
      return `\u001b[${extended};2;${red};${green};${blue}m`;
    case '256':
      return `\u001b[${extended};5;${nearestOf256(red, green, blue)}m`;
    case '16': {
      const nearest = nearestOf16(red, green, blue);
      return `\u001b[${nearest < 8 ? plain + nearest : bright + nearest - 8}m`;
    }
  }
}

/** The colours that terminals begin with; most let their users change them. */
const FIRST_16: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

function nearestOf16(red: number, green: number, blue: number): number {
  const distances = FIRST_16.map(([r, g, b]) => (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2);
  return distances.indexOf(Math.min(...distances));
}

/** Nearest of the 240 fixed colours among the 256: a cube of six steps each way, and a ramp of grays. */
function nearestOf256(red: number, green: number, blue: number): number {
  const step = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40));
  if (red === green && green === blue && red > 7 && red < 249) return 232 + Math.round((red - 8) / 10);
  return 16 + 36 * step(red) + 6 * step(green) + step(blue);
}
