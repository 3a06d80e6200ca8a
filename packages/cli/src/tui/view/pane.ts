import type { Withdrawals } from '../../dev/status/network.ts';
import { count } from '../../print.ts';
import type { LogBuffer } from '../log-buffer.ts';
import { type LogView, type Model, type Pane, toView } from '../model.ts';
import { cut, measureWidth, shown } from '../text.ts';
import type { Theme } from '../theme.ts';
import { isAtHead } from '../window.ts';
import { durationText } from './time-text.ts';

type Paint = (text: string) => string;

/** Top border of a pane with its name and as many facts about its service as fit. */
export function titleLine(pane: Pane, model: Model, theme: Theme, isSelected: boolean): string {
  const { columns } = model.size;
  const name = isSelected ? theme.inverse(` ${pane.name} `) : ` ${theme.bold(pane.name)} `;
  return topBorder(name, paneFacts(pane, model, theme), columns, isSelected ? theme.highlight : theme.border);
}

/** `╭─ name ─ fact · fact ───╮` */
export function topBorder(name: string, facts: readonly string[], columns: number, paint: Paint): string {
  const inner = columns - 2;
  if (inner < 1) return '';
  let title = cut(name, Math.max(0, inner - 2));
  for (const [index, fact] of facts.entries()) {
    const longer = `${title}${index === 0 ? `${paint('─')} ` : '· '}${fact} `;
    if (measureWidth(longer) + 1 > inner) break;
    title = longer;
  }
  return `${paint('╭─')}${title}${paint(`${'─'.repeat(Math.max(0, inner - 1 - measureWidth(title)))}╮`)}`;
}

/** Rows with borders left, right and below. */
export function framed(lines: readonly string[], columns: number, paint: Paint): string[] {
  const bottom = columns < 2 ? '' : paint(`╰${'─'.repeat(columns - 2)}╯`);
  return [...lines.map((line) => bordered(line, columns, paint)), bottom];
}

/** A row between borders. The right one is positioned by column, for any width that the terminal gives the text. */
function bordered(row: string, columns: number, paint: Paint): string {
  return `${paint('│')}${row}\u001b[${columns}G${paint('│')}`;
}

export function paneFacts(pane: Pane, model: Model, theme: Theme): string[] {
  const { status, folded } = pane;
  const { state, pid, uptimeMs, restarts } = status;
  const progress = progressText(pane, model);
  const reason = findReason(pane);
  return [
    stateText(state, theme),
    ...(reason === undefined ? [] : [reason]),
    ...lookText(toView(model, pane.name), pane.log, theme),
    ...(progress === '' ? [] : [progress]),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(pid !== undefined && uptimeMs !== undefined ? [`up ${durationText(uptimeMs)}`] : []),
    ...(restarts === 0 ? [] : [theme.pending(`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`)]),
    ...portFacts(pane),
    ...(folded && model.screen === 'main' ? [theme.dim('folded')] : []),
  ];
}

/** Facts that stand in no column of the list. */
export function selectedFacts(pane: Pane, model: Model, theme: Theme): string[] {
  const { columns } = model.size;
  const reason = findReason(pane);
  const room = Math.max(8, columns - measureWidth(pane.name) - 10);
  const listens = pane.listens.map(({ use, port }) => `${use} :${port}`).join(', ');
  return [
    ...(reason === undefined ? [] : [theme.pending(cut(reason, room))]),
    ...lookText(toView(model, pane.name), pane.log, theme),
    ...(listens === '' ? [] : listens.length < room - 24 ? [listens] : portFacts(pane)),
  ];
}

function portFacts({ listens }: Pane): string[] {
  const ports = listens.map(({ port }) => port).join(', ');
  return listens.length === 0 ? [] : [`${listens.length === 1 ? 'port' : 'ports'} ${ports}`];
}

export function findReason({ status: { state, reason } }: Pane): string | undefined {
  return state === 'ready' || reason === undefined ? undefined : shown(reason, { colour: false });
}

export function stateText(state: string, theme: Theme): string {
  if (state === 'ready' || state === 'finished') return theme.good(state);
  return state === 'failed' || state === 'restarting' ? theme.bad(state) : theme.pending(state);
}

/** The progress of a service, by its activity; empty while that is unknown, and for services that it does not apply to. */
export function progressText({ name, role }: Pane, { facts }: Model): string {
  const text = (what: string, value: number | undefined) => (value === undefined ? '' : `${what} ${value}`);
  switch (role) {
    case 'sequencer':
      return text('height', facts.sequencerHeight);
    case 'rollup':
      return text('height', facts.rollups.find(({ service }) => service === name)?.height);
    case 'conductor':
      return text('lag', facts.lags[name]);
    case 'generic':
      if (facts.layer?.service === name) return text('posted', facts.layer.postedHeight);
      return withdrawalsText(facts.withdrawals?.find(({ service }) => service === name));
    case 'composer':
      return text('queue', facts.queued);
    case 'cometbft':
      return '';
  }
}

function withdrawalsText(withdrawals: Withdrawals | undefined): string {
  if (withdrawals === undefined) return '';
  const { paid, waiting, held, missing } = withdrawals;
  if (missing !== undefined) return `LACKS ${missing}`;
  return [`paid ${paid}`, ...(waiting === 0 ? [] : [`${waiting} wait`]), ...(held === 0 ? [] : [`${held} held`])].join(
    ', ',
  );
}

/** Why a log does not show all of its newest lines. */
export function lookText(view: LogView, log: LogBuffer, theme: Theme): string[] {
  const { filter, search, anchor = log.end, checks } = view;
  const below = isAtHead(log, view) || anchor >= log.end ? '' : `, ${log.end - anchor} below`;
  return [
    ...(checks === true || log.checks === 0 ? [] : [theme.dim(`${count(log.checks, 'check')} hidden`)]),
    ...(filter === undefined ? [] : [theme.pending(`filter ${shown(filter.text, { colour: false })}`)]),
    ...(search === undefined ? [] : [theme.pending(`search ${shown(search.query, { colour: false })}`)]),
    ...(view.anchor === undefined ? [] : [theme.pending(`paused${below}`)]),
  ];
}
