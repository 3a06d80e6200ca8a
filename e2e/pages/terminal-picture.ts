import type { Page } from '../support/browser.ts';

/** The 16 colours that terminals give names, as a common dark scheme has them. */
const BASIC = [
  ...['#1e1e1e', '#d16969', '#8cc265', '#d8b25c', '#5a9bd8', '#b48ead', '#5fb3b3', '#d4d4d4'],
  ...['#808080', '#ff7b72', '#a5d6a7', '#f2cc60', '#79c0ff', '#d2a8ff', '#76e3ea', '#ffffff'],
];
const [BACKGROUND, TEXT] = ['#1e1e1e', '#d4d4d4'];

interface Style {
  colour?: string | undefined;
  behind?: string | undefined;
  bold?: boolean;
  dim?: boolean;
  inverse?: boolean;
}

/** A colour of the 256. */
function indexed(index: number): string {
  if (index < 16) return BASIC[index] ?? TEXT;
  if (index >= 232)
    return `rgb(${Array(3)
      .fill(8 + (index - 232) * 10)
      .join()})`;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join()})`;
}

/** Applies a sequence of select graphic rendition to a style. */
function styled(before: Style, codes: readonly number[]): Style {
  const style = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) for (const key of Object.keys(style)) delete style[key as keyof Style];
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 7) style.inverse = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 27) style.inverse = false;
    else if (code === 39) style.colour = undefined;
    else if (code === 49) style.behind = undefined;
    else if (code === 38 || code === 48) {
      const isWhole = codes[at + 1] === 2;
      const colour = isWhole ? `rgb(${codes.slice(at + 2, at + 5).join()})` : indexed(codes[at + 2] ?? 0);
      style[code === 38 ? 'colour' : 'behind'] = colour;
      at += isWhole ? 4 : 2;
    } else if (code >= 30 && code <= 37) style.colour = BASIC[code - 30];
    else if (code >= 40 && code <= 47) style.behind = BASIC[code - 40];
    else if (code >= 90 && code <= 97) style.colour = BASIC[code - 82];
    else if (code >= 100 && code <= 107) style.behind = BASIC[code - 92];
  }
  return style;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function css({ colour = TEXT, behind, bold, dim, inverse }: Style): string {
  const [front, back] = inverse ? [behind ?? BACKGROUND, colour] : [colour, behind];
  return `color:${front};${back === undefined ? '' : `background:${back};`}${bold ? 'font-weight:bold;' : ''}${dim ? 'opacity:.65;' : ''}`;
}

/** A terminal's screen with its sequences for colours, as HTML. */
export function terminalHtml(screen: string): string {
  let style: Style = {};
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that of the escape sequences
  const parts = screen.trimEnd().split(/\u001b\[([\d;]*)m/);
  const spans = parts.map((part, index) => {
    if (index % 2 === 0) return part === '' ? '' : `<span style="${css(style)}">${escaped(part)}</span>`;
    style = styled(style, part.split(/[;:]/).map(Number));
    return '';
  });
  return `<body style="margin:0;background:${BACKGROUND}"><pre style="display:inline-block;margin:12px;font:14px/18px 'DejaVu Sans Mono',monospace">${spans.join('')}</pre>`;
}

/** Writes a picture of a terminal's screen. */
export async function terminalPicture(page: Page, screen: string, path: string): Promise<void> {
  await page.open('about:blank');
  await page.evaluate(`document.documentElement.innerHTML = ${JSON.stringify(terminalHtml(screen))}; undefined`);
  const [width = 0, height = 0] = (await page.evaluate(
    '(({ width, height }) => [Math.ceil(width) + 24, Math.ceil(height) + 24])(document.querySelector("pre").getBoundingClientRect())',
  )) as number[];
  await page.resize(Math.max(600, width), height);
  await page.screenshot(path, { scale: 1 });
}
