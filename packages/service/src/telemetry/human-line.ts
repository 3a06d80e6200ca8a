import { showHidden, showHiddenInJson } from '@switchyard/protocol/hidden-characters';

const STYLES: Readonly<Record<string, readonly [label: string, colour: number]>> = {
  trace: ['TRACE', 90],
  debug: ['DEBUG', 36],
  info: ['INFO ', 32],
  warn: ['WARN ', 33],
  error: ['ERROR', 31],
  fatal: ['FATAL', 31],
};
const NOT_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'component']);

/** Turns one of our own JSON log lines into `12:00:00.000 INFO  component: sentence field=value`. */
export function humanLine(json: string, color: boolean): string {
  const record: Readonly<Record<string, unknown>> = JSON.parse(json);
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [label, code] = STYLES[String(record.level)] ?? ['     ', 0];
  const component = record.component === undefined ? '' : `${showHidden(String(record.component))}: `;
  const fields = Object.entries(record)
    .filter(([name]) => !NOT_FIELDS.has(name))
    .map(([name, value]) => ` ${paint(90, `${name}=`)}${showField(value)}`);
  const time = String(record.time).slice(11, 23);
  return `${paint(90, time)} ${paint(code, label)} ${component}${showHidden(String(record.msg ?? ''))}${fields.join('')}\n`;
}

/** Quoted if a reader could not see the end of the value, or if it could start a line of its own. */
function showField(value: unknown): string {
  const json = showHiddenInJson(JSON.stringify(value));
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) && json === `"${value}"` ? value : json;
}
