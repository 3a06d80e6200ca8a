interface AmountProps {
  /** Exact, in decimal digits. */
  readonly value: string;
  readonly unit: string;
}

/** Digits of the whole part in threes; nothing is rounded. */
export const grouped = (value: string): string =>
  value.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

export function Amount({ value, unit }: AmountProps) {
  return (
    <span className="amount">
      {grouped(value)} <span>{unit}</span>
    </span>
  );
}
