import { type PointerEvent, useState } from 'react';
import { type Columns, Table } from '../../ui/table.tsx';
import { findNewest, getAxis, hasData, linePath, type Series, stackedBars } from './scale.ts';

const BOX = { width: 600, height: 150 };

export interface ChartData {
  readonly title: string;
  readonly note?: string;
  readonly kind?: 'line' | 'bars';
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

interface OneSeries extends Omit<ChartData, 'title' | 'series'> {
  /** Name of the series, if it is not the title. */
  readonly name?: string;
}

export const chartOf = (title: string, values: Series['values'], { name = title, ...rest }: OneSeries): ChartData => ({
  title,
  series: [{ name, values }],
  ...rest,
});

export interface ChartsProps {
  /** Names of the points: for people, and the first column of the tables. */
  readonly labels: readonly string[];
  readonly charts: readonly ChartData[];
}

/** Numbers over blocks, drawn here, with the same numbers as tables. */
export const Charts = ({ labels, charts }: ChartsProps) => (
  <div className="card charts">
    {charts.map((chart) => (
      <Chart key={chart.title} {...chart} labels={labels} />
    ))}
  </div>
);

const colourOf = (index: number) => ({ '--hue': String((217 + 137.5 * index) % 360) });

/** Its newest value is read at rest, another one below the pointer or with the arrow keys. */
function Chart({ title, series, labels, format, kind = 'line', note = '' }: ChartData & Pick<ChartsProps, 'labels'>) {
  const [point, setPoint] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const last = labels.length - 1;
  const at = point === undefined || point > last ? findNewest(series) : point;
  const toText = (value: number | undefined) => (value === undefined ? '–' : format(value));
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    setPoint(kind === 'bars' ? Math.min(last, Math.floor(share * labels.length)) : Math.round(share * last));
  };
  if (!hasData(series)) return null;
  const ticks = getAxis(series, kind === 'bars');
  const spoken = series.map(({ name, values }) => `${name} ${toText(values[at])}`).join(', ');
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>
        {note !== '' && <span className="quiet"> {note}</span>}
      </figcaption>
      <p className="readout">
        <span className="quiet">{labels[at]}</span>
        {series.map(({ name, values }, index) => (
          <span key={name} className="series" style={colourOf(index)}>
            {series.length > 1 && <i />}
            {series.length > 1 && `${name} `}
            <b>{toText(values[at])}</b>
          </span>
        ))}
      </p>
      <div className="plot">
        <p className="ticks quiet" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <span key={tick}>{format(tick)}</span>
          ))}
        </p>
        <div className="area" onPointerMove={move} onPointerLeave={() => setPoint(undefined)}>
          <Drawing series={series} kind={kind} ticks={ticks} point={point} />
          <input
            type="range"
            className="hidden"
            aria-label={`${title}, ${labels[0]} to ${labels[last]}`}
            aria-valuetext={`${labels[at]}: ${spoken}`}
            min={0}
            max={last}
            value={at}
            onInput={(event) => setPoint(Number(event.currentTarget.value))}
            onBlur={() => setPoint(undefined)}
          />
        </div>
        <p className="ends quiet">
          <span>{labels[0]}</span>
          <span>{labels[last]}</span>
        </p>
      </div>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>As a table</summary>
        {isOpen && <ChartTable title={title} series={series} labels={labels} toText={toText} />}
      </details>
    </figure>
  );
}

interface DrawingProps extends Pick<ChartData, 'series' | 'kind'> {
  readonly ticks: readonly number[];
  /** Marked one. */
  readonly point: number | undefined;
}

function Drawing({ series, kind, ticks, point }: DrawingProps) {
  const maximum = ticks.at(-1) ?? 1;
  const points = series[0]?.values.length ?? 1;
  const y = (tick: number) => BOX.height - (tick / maximum) * BOX.height;
  const x = (at: number) => (kind === 'bars' ? (at + 0.4) / points : at / Math.max(1, points - 1)) * BOX.width;
  return (
    <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="grid" d={ticks.map((tick) => `M0 ${y(tick)}H${BOX.width}`).join('')} />
      {kind === 'bars'
        ? stackedBars(series, { ...BOX, maximum }).map(({ series: index, ...bar }) => (
            <rect key={`${index} ${bar.x}`} className="series" style={colourOf(index)} {...bar} />
          ))
        : series.map(({ name, values }, index) => (
            <path
              key={name}
              className="line series"
              style={colourOf(index)}
              d={linePath(values, { ...BOX, maximum })}
            />
          ))}
      {point !== undefined && <path className="cursor" d={`M${x(point)} 0V${BOX.height}`} />}
    </svg>
  );
}

interface ChartTableProps extends Pick<ChartData, 'title' | 'series'>, Pick<ChartsProps, 'labels'> {
  readonly toText: (value: number | undefined) => string;
}

function ChartTable({ title, series, labels, toText }: ChartTableProps) {
  const columns: Columns<readonly [at: number, label: string]> = [
    ['Blocks', ([, label]) => label, 'name'],
    ...series.map(({ name, values }) => [name, ([at]: readonly [number, string]) => toText(values[at])] as const),
  ];
  return (
    // A long table scrolls on its own, for the keyboard too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section className="scroll" tabIndex={0} aria-label={`${title} as a table`}>
      <Table columns={columns} rows={[...labels.entries()]} name={title} />
    </section>
  );
}
