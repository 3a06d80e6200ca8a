import { type PointerEvent, useState } from 'react';
import { type Columns, Table } from '../../ui/table.tsx';
import { getMaximum, hasData, linePath, type Series, stackedBars } from './scale.ts';

const BOX = { width: 600, height: 150 };

export interface ChartData {
  readonly title: string;
  readonly note?: string;
  readonly kind?: 'line' | 'bars';
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

interface ChartsProps {
  /** Names of the points: for people, and the first column of the tables. */
  readonly labels: readonly string[];
  readonly charts: readonly ChartData[];
  /** Whether they are small on a phone. */
  readonly isCompact?: boolean;
}

/** Numbers over blocks, drawn here, with the same numbers as tables. */
export const Charts = ({ labels, charts, isCompact = false }: ChartsProps) => (
  <div className={isCompact ? 'charts compact' : 'charts'}>
    {charts.map((chart) => (
      <Chart key={chart.title} {...chart} labels={labels} />
    ))}
  </div>
);

function Chart({ title, series, labels, format, kind = 'line', note = '' }: ChartData & Pick<ChartsProps, 'labels'>) {
  const [point, setPoint] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const maximum = getMaximum(series, kind === 'bars');
  const last = labels.length - 1;
  const at = point === undefined || point > last ? last : point;
  const toText = (value: number | undefined) => (value === undefined ? '–' : format(value));
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    setPoint(kind === 'bars' ? Math.min(last, Math.floor(share * labels.length)) : Math.round(share * last));
  };
  if (!hasData(series)) return null;
  const middle = kind === 'bars' ? (at + 0.4) / labels.length : at / Math.max(1, last);
  return (
    <figure className="chart card">
      <figcaption>
        <strong>{title}</strong>
        {note !== '' && <span className="quiet"> {note}</span>}
      </figcaption>
      <p className="readout">
        <span className="quiet">{labels[at]}</span>
        {series.map(({ name, values }, index) => (
          <span key={name} className={`series-${index}`}>
            {series.length > 1 && <i />}
            {series.length > 1 && `${name} `}
            <b>{toText(values[at])}</b>
          </span>
        ))}
      </p>
      <div className="plot" onPointerMove={move} onPointerLeave={() => setPoint(undefined)}>
        <span className="most">{format(maximum)}</span>
        <svg
          viewBox={`0 0 ${BOX.width} ${BOX.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}, ${labels[0]} to ${labels[last]}: newest ${series
            .map(({ name, values }) => `${name} ${toText(values[last])}`)
            .join(', ')}`}
        >
          <path
            className="grid"
            d={`M0 ${BOX.height / 2}H${BOX.width}M0 0H${BOX.width}M0 ${BOX.height}H${BOX.width}`}
          />
          {kind === 'bars'
            ? stackedBars(series, { ...BOX, maximum }).map(({ series: index, ...bar }) => (
                <rect key={`${index} ${bar.x}`} className={`series-${index}`} {...bar} />
              ))
            : series.map(({ name, values }, index) => (
                <path key={name} className={`line series-${index}`} d={linePath(values, { ...BOX, maximum })} />
              ))}
          {point !== undefined && <path className="cursor" d={`M${middle * BOX.width} 0V${BOX.height}`} />}
        </svg>
      </div>
      <p className="ends quiet">
        <span>{labels[0]}</span>
        <span>{labels[last]}</span>
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>As a table</summary>
        {isOpen && <ChartTable title={title} series={series} labels={labels} toText={toText} />}
      </details>
    </figure>
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
