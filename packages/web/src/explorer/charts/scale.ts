/** One line, or one part of a stack of bars. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

const MAX_PARTS = 4;

/** Marks of an axis from 0 to a value or just above: multiples of 1, 2 or 5 times a power of ten. @param isWhole Whether none is a fraction. */
export function getTicks(value: number, isWhole = false): readonly number[] {
  // Below that, the power of ten has no bits of its own, or is 0.
  if (!(value > 1e-300)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(value / MAX_PARTS));
  const nearly = value * (1 - 1e-9);
  const nice = [1, 2, 5, 10].find((each) => each * power * MAX_PARTS >= nearly) ?? 10;
  const step = isWhole ? Math.max(1, nice * power) : nice * power;
  return Array.from({ length: Math.ceil(nearly / step) + 1 }, (_, index) => index * step);
}

/** Marks for the highest point, or for the highest stack. */
export function getAxis(series: readonly Series[], isStacked: boolean): readonly number[] {
  const heights = series[0]?.values.map((_, point) => {
    const values = series.map((each) => each.values[point] ?? 0);
    return isStacked ? values.reduce((sum, each) => sum + each, 0) : Math.max(...values);
  });
  const isWhole = series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  return getTicks(Math.max(0, ...(heights ?? [])), isWhole);
}

/** The newest point with a value. */
export function findNewest(series: readonly Series[]): number {
  return Math.max(0, ...series.map(({ values }) => values.findLastIndex((value) => value !== undefined)));
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

/** More bars have no gaps between them, which would leave a pixel of each. */
const MAX_APART = 60;
/** A bar that is not part of a stack is at least as high, to be seen. */
const LEAST_HEIGHT = 3;

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
      const part = ((values[point] ?? 0) / maximum) * height;
      if (part <= 0) continue;
      const size = series.length === 1 ? Math.max(LEAST_HEIGHT, part) : part;
      top -= size;
      bars.push({
        x: round(point * slot),
        y: round(top),
        width: round(points > MAX_APART ? slot : slot * 0.8),
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
