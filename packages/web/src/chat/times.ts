/** Times of messages in the reader's time zone. Making a formatter costs more than using it a thousand times. */
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const formatted = (format: Intl.DateTimeFormat, time: string | undefined): string => {
  const date = new Date(time ?? '');
  return Number.isNaN(date.getTime()) ? '' : format.format(date);
};

export const timeOfDay = (time: string | undefined): string => formatted(clock, time);
export const exactTime = (time: string | undefined): string => formatted(exact, time);

/** The day of a time, for comparisons. */
export const getDay = (time: string): string => new Date(time).toDateString();

/** The day of a time in words: today, yesterday, or its date. */
export function dayName(time: string): string {
  for (const days of [0, 1]) {
    const then = new Date(performance.timeOrigin + performance.now());
    then.setDate(then.getDate() - days);
    if (then.toDateString() === getDay(time)) return relative.format(-days, 'day');
  }
  return formatted(day, time);
}
