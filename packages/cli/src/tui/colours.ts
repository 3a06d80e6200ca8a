/*
 * The colours of the web by name, and the sequences that select one.
 */

/** Names and values of CSS Color Module Level 4, section 6.1. */
const NAMES =
  `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b
darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a
darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1
darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff
firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700
goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4
indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00
lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3
lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa
lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32
linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3
mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc
mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead
navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6
palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9
peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d
silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f
steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3
white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`.split(/\s+/);

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Names of all colours, for "did you mean". */
export const COLOUR_NAMES: readonly string[] = NAMES.filter((_, index) => index % 2 === 0);

/** A web name in any letter case, or `#rrggbb`; undefined when it is neither. */
export function parseColour(text: string): Rgb | undefined {
  const word = text.trim().toLowerCase();
  const at = NAMES.indexOf(word);
  const hex = /^#[0-9a-f]{6}$/.test(word) ? word.slice(1) : at !== -1 && at % 2 === 0 ? NAMES[at + 1] : undefined;
  if (hex === undefined) return undefined;
  const part = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16);
  return [part(0), part(2), part(4)];
}

/** How many colours a terminal supports, as its environment variables declare. */
export type Depth = 'all' | '256' | '16' | 'none';

export function depthOf(env: Readonly<Record<string, string | undefined>>): Depth {
  const { TERM: term = '', COLORTERM: more = '' } = env;
  if ((env.NO_COLOR ?? '') !== '' || /^(dumb|vt\d+|.*-mono)$/.test(term)) return 'none';
  if (/truecolor|24bit/i.test(more) || /-direct$/.test(term)) return 'all';
  return /^(linux|xterm|screen|tmux|rxvt|ansi|cygwin|.*-16color)$/.test(term) ? '16' : '256';
}

/** The sequence that makes text this colour. */
export function foreground(colour: Rgb, depth: Depth): string {
  return sequenceOf(colour, depth, { plain: 30, bright: 90, extended: 38 });
}

/** The sequence that puts text on ground of this colour, and makes the text legible there. */
export function background(colour: Rgb, depth: Depth): string {
  if (depth === 'none') return '';
  const [red, green, blue] = colour;
  // Perceived lightness, as ITU-R BT.601 weighs it.
  const isLight = red * 0.299 + green * 0.587 + blue * 0.114 > 140;
  return sequenceOf(colour, depth, { plain: 40, bright: 100, extended: 48 }) + (isLight ? '\u001b[30m' : '\u001b[97m');
}

function sequenceOf(
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
