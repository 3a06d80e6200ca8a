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
