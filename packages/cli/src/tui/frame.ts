import { ACTIONS, type Action, keyLabel } from './actions.ts';
import { getRoom, infoLines, infoRows, listAndLog, logArea, paneHeights } from './layout.ts';
import { currentLog, MERGED, type Model, type NamedLog, toView } from './model.ts';
import { cut, filled, flow } from './text.ts';
import { PLAIN, type Theme } from './theme.ts';
import { aboutLines } from './view/about.ts';
import { footerLines } from './view/footer.ts';
import { headerLines } from './view/header.ts';
import { lineRows, lineStyle } from './view/log-lines.ts';
import { framed, lookText, paneFacts, selectedFacts, titleLine, topBorder } from './view/pane.ts';
import { pathLines } from './view/path.ts';
import { serviceRows } from './view/services.ts';
import { summaryLines } from './view/summary.ts';
import { currentLine, windowRows } from './window.ts';

/** The whole screen: exactly as many lines as the terminal has rows. */
export function getFrame(model: Model, theme: Theme, now: number): string[] {
  const { rows, columns } = model.size;
  if (rows < 1 || columns < 1) return [];
  const header = headerLines(model, theme);
  const footer = footerLines(model, theme, now);
  const room = rows - header.length - footer.length;
  // A terminal of a few rows shows a part.
  if (room < 1) return [...header, ...footer].slice(0, rows);
  return [...header, ...sized(middleLines(model, theme, room), room), ...footer];
}

function middleLines(model: Model, theme: Theme, room: number): string[] {
  switch (model.screen) {
    case 'main':
      return model.layout === 'list' ? listLines(model, theme, room) : paneLines(model, theme, room);
    case 'full':
    case 'merged':
      return logLines(model, theme, room);
    case 'path':
      return pathLines(model, theme, room);
    case 'about':
      return aboutLines(model, theme, room);
    case 'help':
    case 'summary': {
      const lines = textLines(model, theme);
      return lines.slice(Math.max(0, Math.min(model.listTop, lines.length - room)));
    }
  }
}

function textLines(model: Model, theme: Theme): string[] {
  return model.screen === 'summary' ? summaryLines(model, theme) : helpLines(model, theme);
}

/** How far down the current text can be scrolled. */
export function lastListTop(model: Model): number {
  return Math.max(0, textLines(model, PLAIN).length - Math.max(1, getRoom(model)));
}

function listLines(model: Model, theme: Theme, room: number): string[] {
  const { list, log } = listAndLog(model, room);
  const pane = model.panes[model.selected];
  const rows = sized(serviceRows(model, theme, list), list);
  if (log === 0 || pane === undefined) return rows;
  const { columns } = model.size;
  const title = topBorder(` ${theme.bold(pane.name)} `, selectedFacts(pane, model, theme), columns, theme.highlight);
  return [...rows, title, ...framed(visibleLines(pane, model, theme, room), columns, theme.highlight)];
}

function paneLines(model: Model, theme: Theme, room: number): string[] {
  const { columns } = model.size;
  return paneHeights(model, room).flatMap(({ index, body }) => {
    const pane = model.panes[index];
    if (pane === undefined) return [];
    const isSelected = index === model.selected;
    const paint = isSelected ? theme.highlight : theme.border;
    const lines = linesIn(pane, model, theme, { rows: body, width: columns - 2 });
    return [titleLine(pane, model, theme, isSelected), ...framed(lines, columns, paint)];
  });
}

function logLines(model: Model, theme: Theme, room: number): string[] {
  const current = currentLog(model);
  if (current === undefined) return [];
  const { columns } = model.size;
  const lines = visibleLines(current, model, theme, room);
  const info = infoLines(model, theme).slice(0, infoRows(model, room));
  if (model.borderless) return [...info, ...lines];
  const pane = current.name === MERGED ? undefined : model.panes[model.selected];
  const name = theme.selected(` ${pane?.name ?? 'all services'} `);
  const facts =
    pane === undefined ? lookText(toView(model, MERGED), model.merged, theme) : paneFacts(pane, model, theme);
  return [...info, topBorder(name, facts, columns, theme.highlight), ...framed(lines, columns, theme.highlight)];
}

function visibleLines(log: NamedLog, model: Model, theme: Theme, room: number): string[] {
  return linesIn(log, model, theme, logArea(model, room));
}

function linesIn(
  { name, log }: NamedLog,
  model: Model,
  theme: Theme,
  { rows, width }: { readonly rows: number; readonly width: number },
): string[] {
  const view = toView(model, name);
  const isMarked = view.anchor !== undefined && model.screen !== 'main';
  const style = { ...lineStyle(model, name, theme, width), ...(isMarked && { marked: currentLine(log, view) }) };
  return sized(windowRows(log, view, { rows, getRows: (line) => lineRows(line, style) }), rows);
}

/** Exactly this many lines: cut off, or followed by empty ones. */
function sized(lines: readonly string[], rows: number): string[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? '');
}

interface HelpRow {
  readonly section: Action['section'];
  readonly keys: string;
  readonly words: string;
  readonly help: string;
}

/** A row for each action, or for neighbours that share their text. */
export function helpRows(actions: readonly Action[] = ACTIONS): readonly HelpRow[] {
  const rows: HelpRow[] = [];
  let keys = new Set<string>();
  for (const { name, keys: own, section, help } of actions) {
    const last = rows.at(-1);
    const isSame = last !== undefined && last.help === help && last.section === section;
    if (!isSame) keys = new Set();
    for (const key of own) keys.add(keyLabel(key));
    const words = isSame ? `${last.words} ${name}` : name;
    if (isSame) rows.pop();
    rows.push({ section, keys: [...keys].join(' '), words, help });
  }
  return rows;
}

const NARROW = 64;
/** Columns of a terminal that has room for the words of the command line. */
const WIDE = 110;

function helpLines({ size: { columns, rows } }: Model, theme: Theme): string[] {
  const all = helpRows();
  const sections = [...new Set(all.map(({ section }) => section))].map(
    (title) => [title, all.filter(({ section }) => section === title)] as const,
  );
  const keyWidth = Math.max(...all.map(({ keys }) => keys.length));
  const wordWidth = columns < WIDE ? 0 : Math.max(...all.map(({ words }) => words.length)) + 2;
  if (columns < NARROW) {
    return sections.flatMap(([title, own]) => [
      theme.bold(title),
      ...own.flatMap(({ keys, help }) => flow([theme.key(keys), ...help.split(' ')], columns, ' ')),
    ]);
  }
  // Titles stand alongside the first key if there is no row for each.
  const isLow = rows < 34;
  const lines = sections.flatMap(([title, own]) => [
    ...(isLow ? [] : ['', theme.bold(title)]),
    ...own.map(({ keys, words, help }, index) => {
      const head = isLow ? theme.bold((index === 0 ? title : '').padEnd(8)) : ' ';
      const word = wordWidth === 0 ? '' : theme.dim(filled(words, wordWidth));
      return cut(`${head} ${theme.key(keys.padEnd(keyWidth))}  ${word}${help}`, columns);
    }),
  ]);
  return [
    ...lines.slice(isLow ? 0 : 1),
    ...(isLow ? [] : ['']),
    theme.dim(cut('How it starts is set in tui-config.toml, in the root of all instances.', columns)),
  ];
}
