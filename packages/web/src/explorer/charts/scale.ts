/** One line, or one part of a stack of bars. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** The end of an axis: the smallest of 1, 2, 2.5, 5 times a power of ten that is not below. */
export function niceMaximum(value: number): number {
  // Below that, the power of ten has no bits of its own, or is 0.
  if (!(value > 1e-300)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** How high the axis goes: over the highest point, or over the highest stack. */
export function getMaximum(series: readonly Series[], isStacked: boolean): number {
  const points = series[0]?.values.length ?? 0;
  let most = 0;
  for (let point = 0; point < points; point += 1) {
    const values = series.map(({ values }) => values[point] ?? 0);
    const value = isStacked ? values.reduce((sum, each) => sum + each, 0) : Math.max(...values);
    most = Math.max(most, value);
  }
  return niceMaximum(most);
}

/** A line in a box of `width` by `height`. It is interrupted if a value is missing. */
export function linePath(
  values: readonly (number | undefined)[],
  { width, height, maximum }: { readonly width: number; readonly height: number; readonly maximum: number },
): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let isPenDown = false;
  return values
    .map((value, index) => {
      const command =
        value === undefined
          ? ''
          : `${isPenDown ? 'L' : 'M'}${round(index * step)} ${round(height - (value / maximum) * height)}`;
      // A single point between gaps is drawn as a dot: a line of no length with round ends.
      const isAlone = value !== undefined && !isPenDown && values[index + 1] === undefined;
      isPenDown = value !== undefined;
      return isAlone ? `${command}h0` : command;
    })
    .join('');
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly series: number;
}

/** Stacks of bars in a box, the first series at the bottom. */
export function stackedBars(
  series: readonly Series[],
  { width, height, maximum }: { readonly width: number; readonly height: number; readonly maximum: number },
): Bar[] {
  const points = series[0]?.values.length ?? 0;
  const slot = points === 0 ? 0 : width / points;
  const bars: Bar[] = [];
  for (let point = 0; point < points; point += 1) {
    let top = height;
    for (const [index, { values }] of series.entries()) {
      const size = ((values[point] ?? 0) / maximum) * height;
      if (size <= 0) continue;
      top -= size;
      bars.push({
        x: round(point * slot),
        y: round(top),
        width: round(slot * 0.8),
        height: round(size),
        series: index,
      });
    }
  }
  return bars;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Whether there is anything to draw. */
export const hasData = (series: readonly Series[]): boolean =>
  series.some(({ values }) => values.some((value) => value !== undefined && value !== 0));
