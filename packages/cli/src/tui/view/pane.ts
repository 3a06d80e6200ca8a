import type { LogLine } from '../log-buffer.ts';
import { type LogView, MERGED, type Model, type Pane, viewOf } from '../model.ts';
import { cut, filled, highlighted, shown, widthOf, wrap } from '../text.ts';
import type { Theme } from '../theme.ts';
import { durationText } from './time-text.ts';

/** Top border of a pane with its name and as many facts about its service as fit. */
export function titleLine(pane: Pane, model: Model, theme: Theme, isSelected: boolean): string {
  const { columns } = model.size;
  const name = isSelected ? theme.inverse(` ${pane.name} `) : ` ${theme.bold(pane.name)} `;
  return topBorder(name, paneFacts(pane, model, theme), columns, isSelected ? theme.highlight : theme.border);
}

/** `╭─ name ─ fact · fact ───╮` */
export function topBorder(
  name: string,
  facts: readonly string[],
  columns: number,
  paint: (text: string) => string,
): string {
  const inner = columns - 2;
  if (inner < 1) return '';
  let title = cut(name, Math.max(0, inner - 2));
  for (const [index, fact] of facts.entries()) {
    const longer = `${title}${index === 0 ? `${paint('─')} ` : '· '}${fact} `;
    if (widthOf(longer) + 1 > inner) break;
    title = longer;
  }
  return `${paint('╭─')}${title}${paint(`${'─'.repeat(Math.max(0, inner - 1 - widthOf(title)))}╮`)}`;
}

export function bottomBorder(columns: number, paint: (text: string) => string): string {
  return columns < 2 ? '' : paint(`╰${'─'.repeat(columns - 2)}╯`);
}

/** A row between borders. The right one is positioned by column, whatever width the terminal gives the text. */
export function bordered(row: string, columns: number, paint: (text: string) => string): string {
  return `${paint('│')}${row}\u001b[${columns}G${paint('│')}`;
}

export function paneFacts(pane: Pane, model: Model, theme: Theme): string[] {
  const { status, listens, folded } = pane;
  const { state, pid, uptimeMs, restarts, reason } = status;
  const running = pid !== undefined;
  const height = heightText(pane, model);
  return [
    stateText(state, theme),
    ...(state !== 'ready' && reason !== undefined ? [shown(reason, { colour: false })] : []),
    ...lookText(viewOf(model, pane.name), model, theme),
    ...(height === undefined ? [] : [height]),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(running && uptimeMs !== undefined ? [`up ${durationText(uptimeMs)}`] : []),
    ...(restarts === 0 ? [] : [theme.pending(`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`)]),
    ...(listens.length === 0
      ? []
      : [`${listens.length === 1 ? 'port' : 'ports'} ${listens.map(({ port }) => port).join(', ')}`]),
    ...(folded && model.screen === 'main' ? [theme.dim('folded')] : []),
  ];
}

function stateText(state: string, theme: Theme): string {
  if (state === 'ready' || state === 'finished') return theme.good(state);
  return state === 'failed' ? theme.bad(state) : theme.pending(state);
}

function heightText({ role }: Pane, { facts }: Model): string | undefined {
  const text = (what: string, value: number | undefined) => (value === undefined ? undefined : `${what} ${value}`);
  switch (role) {
    case 'sequencer':
      return text('height', facts.sequencerHeight);
    case 'rollup':
      return text('height', facts.rollup?.height);
    case 'conductor':
      return text('lag', facts.lag);
    case 'composer':
      return text('queue', facts.queued);
    case 'cometbft':
    case 'generic':
      return undefined;
  }
}

/** Why a log does not show all of its newest lines. */
export function lookText({ filter, search, anchor }: LogView, model: Model, theme: Theme): string[] {
  return [
    ...(filter === undefined ? [] : [theme.pending(`filter ${shown(filter.text, { colour: false })}`)]),
    ...(search === undefined ? [] : [theme.pending(`search ${shown(search.query, { colour: false })}`)]),
    ...(anchor === undefined || model.autoScroll ? [] : [theme.pending('scroll paused')]),
  ];
}

export interface LineStyle {
  readonly width: number;
  readonly wrap: boolean;
  readonly theme: Theme;
  readonly search: string;
  /** Set in the merged log. */
  readonly prefix?: { readonly width: number; index(service: string): number } | undefined;
}

/** The rows that one line takes. */
export function lineRows(line: LogLine, { width, wrap: isWrapped, theme, search, prefix }: LineStyle): string[] {
  const head =
    prefix === undefined || line.service === MERGED
      ? ''
      : theme.service(prefix.index(line.service), `${filled(line.service, prefix.width)} │ `);
  const room = Math.max(1, width - (head === '' ? 0 : prefix === undefined ? 0 : prefix.width + 3));
  const text = highlighted(shown(line.text, theme), search);
  const rows = isWrapped ? wrap(text, room) : [cut(text, room)];
  if (line.kind === 'output') return head === '' ? rows : rows.map((row) => head + row);
  const paint = line.kind === 'bad' ? theme.death : theme.life;
  return rows.map((row) => head + paint(row));
}

/** How lines of a log are shown in a window of this width. */
export function lineStyle(model: Model, name: string, theme: Theme, width: number): LineStyle {
  const longest = Math.max(...model.panes.map((pane) => widthOf(pane.name)), 'switchyard'.length);
  const indexes = new Map(model.panes.map((pane, index) => [pane.name, index]));
  return {
    width,
    wrap: model.wrap,
    theme,
    search: viewOf(model, name).search?.query ?? '',
    ...(name === MERGED
      ? { prefix: { width: Math.min(longest, 16), index: (service) => indexes.get(service) ?? model.panes.length } }
      : {}),
  };
}
