import { Id as SharedId } from '../../ui/id.tsx';

interface IdProps {
  readonly text: string;
  /** View of the explorer that it leads to. */
  readonly to?: string | undefined;
  readonly label?: string | undefined;
  readonly isWhole?: boolean;
  readonly isAccount?: boolean;
}

export const Id = ({ to, ...of }: IdProps) => <SharedId {...of} href={to && `#${to}`} />;
