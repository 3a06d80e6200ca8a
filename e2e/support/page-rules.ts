import type { Page } from './browser.ts';

/*
 * Rules for every page. Each lists the parts of the present page that break it, in a few words.
 */

/**
 * Lines of a drawing that end nowhere, or are cut off: in the middle of each the browser finds the line itself, and a station beyond
 * both ends.
 *
 * @param lines Selector of the lines, which are upright or level.
 */
export const looseLines = (page: Page, lines: string, stations: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(lines)})].filter((each) => each.checkVisibility());
    if (all.length === 0) return ['no lines'];
    return all.flatMap((line) => {
      line.scrollIntoView({ block: 'center' });
      const { left, right, top, bottom } = line.getBoundingClientRect();
      const [x, y, isLevel] = [(left + right) / 2, (top + bottom) / 2, right - left > bottom - top];
      const ends = isLevel ? [[left - 2, y], [right + 2, y]] : [[x, top - 2], [x, bottom + 2]];
      const at = (x, y) => document.elementFromPoint(x, y);
      const isWhole = line.contains(at(x, y)) && ends.every(([x, y]) => at(x, y)?.closest(${JSON.stringify(stations)}));
      return isWhole ? [] : [line.parentElement.className];
    });
  })()`);

/** Texts of programs that no page shows to people. */
const NO_TEXTS = ['{{', '}}', 'undefined', '[object', 'NaN'];

/**
 * Flaws that a page may not have: texts of programs, texts that are cut off without a sign of it, and parts wider than the window.
 *
 * @param quoted Selector of parts that may quote programs.
 */
export const findFlaws = async (page: Page, quoted = 'x-none'): Promise<readonly string[]> =>
  (await page.evaluate(`(() => {
    // Texts for screen readers alone are in boxes of a pixel.
    const isTiny = (each) => each.offsetWidth <= 1 || each.closest('.hidden, .visually-hidden') !== null;
    const isHidden = (each) => each.closest('[aria-hidden=true]') !== null || !each.checkVisibility() || isTiny(each);
    const withText = [...document.body.querySelectorAll('*')].filter(
      (each) => !isHidden(each) && [...each.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== ''),
    );
    const shown = withText
      .filter((each) => each.closest(${JSON.stringify(quoted)}) === null)
      .flatMap(({ childNodes }) => [...childNodes].map(({ data = '' }) => data))
      .join(' ');
    const cut = withText.filter((each) => {
      const box = getComputedStyle(each);
      const isClipped = ['hidden', 'clip'].includes(box.overflowX) && each.scrollWidth > each.clientWidth + 1;
      return isClipped && !(box.textOverflow === 'ellipsis' && each.closest('[title]') !== null);
    });
    return [
      ...${JSON.stringify(NO_TEXTS)}.filter((text) => shown.includes(text)).map((text) => 'shows ' + text),
      ...cut.map((each) => 'cut off: ' + each.textContent.slice(0, 60)),
      ...(document.documentElement.scrollWidth > innerWidth ? ['wide'] : []),
    ];
  })()`)) as readonly string[]; // as the script above has it
