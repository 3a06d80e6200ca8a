const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A span of time for people, rounded up: `40 seconds`, `12 minutes`, `23 hours 59 minutes`. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return count(Math.max(1, Math.ceil(ms / SECOND)), 'second');
  const minutes = Math.ceil(ms / MINUTE);
  if (minutes < 60) return count(minutes, 'minute');
  const hours = Math.floor((minutes * MINUTE) / HOUR);
  const rest = minutes - hours * 60;
  return rest === 0 ? count(hours, 'hour') : `${count(hours, 'hour')} ${count(rest, 'minute')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
